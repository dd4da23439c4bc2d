import type { GatewayContext } from "../../../call/context.ts";
import type { Received } from "../../../upstream/receive.ts";
import type { PricedCall } from "../../model-fallbacks.ts";
import type { Router } from "../../router.ts";
import type { Choice } from "../../scheduler/choose.ts";
import { raceChannels } from "./race-channels.ts";

type Attempt = (context: GatewayContext, model: PricedCall, choice: Choice) => Promise<Received>;

/** Tries one channel, and a second one where the call's route hedges. Rejects as `attempt` does. */
export async function hedged(
  context: GatewayContext,
  model: PricedCall,
  choice: Choice,
  router: Router,
  attempt: Attempt,
): Promise<Received> {
  const { call, prices } = model;
  const hedge = call.route?.hedge;
  if (!hedge) return attempt(context, model, choice);
  const served = await raceChannels<Received>(context, {
    ...{ call, hedge, choice },
    alternative: () => router.alternativeTo(choice),
    attempt: (own, other) => attempt(context, { call: own, prices }, other),
    discard: (result) => result.kind === "stream" && result.exchange.abort(),
    onFailed: (other, error) => router.noteFailure(other, error),
  });
  router.servedBy(served.choice);
  return served.result;
}
