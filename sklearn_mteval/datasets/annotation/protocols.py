"""Tools that annotators work with, and how translations are judged, as commands name them."""

PROTOCOLS = {"cesa": "cESA", "esa": "ESA", "da": "DA", "mqm": "MQM"}
"""What pearmut calls each."""
TOOLS = {"pearmut": ".json", "sheet": ".csv", "label-studio": ".json"}
"""How the name of a campaign's file ends."""
