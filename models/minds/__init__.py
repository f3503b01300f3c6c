"""What recommender and seeker of a recommendation dialogue have in mind."""
