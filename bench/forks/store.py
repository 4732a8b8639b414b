"""The files of one run: results/<run>/. Files are the truth; tables are rebuilt from them."""
