"""How translations are judged, by the names that commands take: what pearmut calls each."""

PROTOCOLS = {"cesa": "cESA", "esa": "ESA", "da": "DA", "mqm": "MQM"}
