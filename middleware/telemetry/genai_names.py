"""Names of OpenTelemetry's conventions for generative AI, which are in development and may change: nowhere else are they written.

Source: https://github.com/open-telemetry/semantic-conventions-genai, the event `gen_ai.evaluation.result`.
"""

EVALUATION_EVENT = "gen_ai.evaluation.result"

EVALUATION_NAME = "gen_ai.evaluation.name"
SCORE_VALUE = "gen_ai.evaluation.score.value"
SCORE_LABEL = "gen_ai.evaluation.score.label"
EXPLANATION = "gen_ai.evaluation.explanation"
CONVERSATION_ID = "gen_ai.conversation.id"
RESPONSE_ID = "gen_ai.response.id"
AGENT_VERSION = "gen_ai.agent.version"
ERROR_TYPE = "error.type"
