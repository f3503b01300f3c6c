"""`grice bench meaning`: what turns mean, of bots that the reader of meaning has not seen."""
