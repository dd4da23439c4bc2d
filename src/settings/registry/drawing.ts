import { bool } from "../option/option.ts";

/** The drawing and task protocols. */
export const drawingOptions = {
  DrawingEnabled: bool(true),
  TaskEnabled: bool(true),
  /** Keeps the client's notifyHook in forwarded bodies. */
  MjNotifyEnabled: bool(false),
  /** Keeps the client's accountFilter. */
  MjAccountFilterEnabled: bool(false),
  /** Image addresses lead through the gateway. */
  MjForwardUrlEnabled: bool(true),
  /** Takes --fast, --relax and --turbo out of prompts. */
  MjModeClearEnabled: bool(false),
  /** Follow-up actions need a parent that succeeded. */
  MjActionCheckSuccessEnabled: bool(true),
};
