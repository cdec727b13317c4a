"""OpenUSD with UsdPhysics, through USD's own library: `robot` is the reader, `worker` the process that it asks.

Nothing is loaded here: that process is started for each stage, and needs nothing of the reader.
"""
