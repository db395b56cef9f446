"""Play, watch and analyse in the browser: ``python -m carc_env.web``.

A Starlette application serves a page without a build step and exchanges messages with it over one
WebSocket: :mod:`.messages` defines the page's requests, :mod:`.view` what it is shown. Nothing that
a person at the table could not see is ever sent: neither the order of the bag nor the seed of a
game before its end.
"""
