"""Play, watch and analyse in the browser: ``python -m carc_env.web``.

A Starlette application serves a page that needs no build step, and exchanges messages with it over
a single WebSocket: :mod:`.messages` defines the page's requests, and :mod:`.view` defines what the
page is shown. The server never sends anything that a person at the table could not see: neither the
bag order nor, before a game ends, its seed.
"""
