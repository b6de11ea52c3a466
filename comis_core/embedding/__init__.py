"""From texts to vectors: what stands between a plugin's embedder and the store."""
