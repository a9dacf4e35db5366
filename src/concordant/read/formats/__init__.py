"""One module for each format; `read.recognise` tells them apart by content."""
