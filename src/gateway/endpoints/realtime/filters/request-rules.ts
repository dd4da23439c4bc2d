import { integer, MAX_OUTPUT_TOKENS, type RequestRules, requestMembers } from "../../../../formats/request-rules.ts";

const answerLimit = (path: string) => integer(path, 1, MAX_OUTPUT_TOKENS, "inf");

/** Rules for the events that clients of a realtime session send. */
export const realtimeRules: RequestRules = {
  members: requestMembers(
    `type event_id session response item instructions input output audio transcription input_audio_transcription model prompt
    tools modalities output_modalities max_output_tokens max_response_output_tokens role content text transcript name call_id id
    reason n`,
    { free: "parameters arguments variables metadata" },
  ),
  numbers: [
    answerLimit("session.max_output_tokens"),
    answerLimit("session.max_response_output_tokens"),
    answerLimit("response.max_output_tokens"),
    answerLimit("response.max_response_output_tokens"),
  ],
  switches: [],
};
