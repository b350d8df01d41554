"""What cannot be written as every other answer is."""

import json

from patchbay.domain.executions import ExecutionStep, StepState
from patchbay.domain.flows import StepType
from patchbay.server.responses import many


def test_half_a_character_that_a_service_sent_is_shown_escaped():
    step = ExecutionStep.model_validate(
        {
            "id": "1",
            "executionId": "2",
            "seq": 0,
            "status": StepState.SUCCESS,
            "step": {"id": "3", "type": StepType.ACTION, "position": 2},
            "dataOut": {"a": "\ud800", "b": "é"},
        }
    )

    answer = many([step])

    told = json.loads(bytes(answer.body))
    assert told["data"][0]["dataOut"] == {"a": "\ud800", "b": "é"}
    assert told["meta"]["type"] == "ExecutionStep"
