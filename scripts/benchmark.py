"""What ``carc-env benchmark`` does, as a script."""

import signal
import sys

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are loaded

from carc_env.agents.commands.benchmark import main
from carc_env.agents.interrupt import end_quietly

if __name__ == "__main__":
    end_quietly()
    sys.exit(main())
