"""Can what is said in a dialogue talk a judge out of an alarm? `python -m grice.benchmarks.judge_injection` tries."""
