"""Serves scormhost on the port that the first word names, with its data in the folder that it is started in."""

import sys

import uvicorn
from scormhost import create_scorm_app

app = create_scorm_app(data_dir="data", secret_key="only-for-the-tests-" * 2)
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
