"""One module for each file format; `read.recognise` tells the formats apart by content."""
