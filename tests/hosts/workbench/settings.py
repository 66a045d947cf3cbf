"""xblock-sdk's workbench with nothing but the SCORM XBlock in it; its data lies in the folder it is started in."""

import os

from workbench.settings import *  # noqa: F403
from workbench.settings import INSTALLED_APPS as ALL
from xblock.core import XBlock

DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(os.getcwd(), "workbench.db")}}
DEBUG = True
EXCLUDED_XBLOCKS = {name for name, _ in XBlock.load_classes() if name != "scorm"}
INSTALLED_APPS = [app for app in ALL if app != "djpyfs"]
LOGGING = {"version": 1, "disable_existing_loggers": False}
MEDIA_ROOT, MEDIA_URL = os.path.join(os.getcwd(), "media"), "/media/"
ROOT_URLCONF = "addresses"
WORKBENCH = {"reset_state_on_restart": False, "services": {}}
