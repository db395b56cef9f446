"""The module that verifiers finds as the taskset ``carc-env-text``."""

from carc_env.envs.text.verifiers import TextEnv, TextTaskset

__all__ = ["TextEnv", "TextTaskset"]
