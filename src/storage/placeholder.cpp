namespace oscbo {}
