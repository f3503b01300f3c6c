"""RecToM: what recommender and seeker have in mind."""
