import type { createHealth } from "./channel-health.ts";
import type { createModelsOf } from "./model-fit.ts";
import type { CountedConversations } from "./routes/assign-experiment.ts";
import type { CallQueues } from "./routes/busy/call-queues.ts";
import type { Hedges } from "./routes/busy/hedges.ts";
import type { ConversationModels } from "./routes/conversation-models.ts";
import type { Speeds } from "./routes/speeds.ts";
import type { KeyRing } from "./scheduler/choose.ts";
import type { Stickiness } from "./scheduler/stickiness.ts";

/** What routing remembers of earlier calls, and of those under way. */
export type RoutingMemory = Readonly<{
  keys: KeyRing;
  stickiness: Stickiness;
  conversationModels: ConversationModels;
  /** How fast channels serve their models. */
  speeds: Speeds;
  /** Calls that wait for busy routes. */
  queues: CallQueues;
  /** Delays and budgets of hedged routes. */
  hedges: Hedges;
  health: ReturnType<typeof createHealth>;
  /** The models behind the channels of a route, where they differ. */
  modelsOf: ReturnType<typeof createModelsOf>;
  /** Which conversations the experiments have counted. */
  countedConversations: CountedConversations;
}>;
