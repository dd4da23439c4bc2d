import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import { upstreamModelOf } from "../../../domain/channels/upstream/request-options.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { providerOf } from "../../../providers/registry.ts";
import type { Call } from "../../call/call.ts";
import type { GatewayContext } from "../../call/context.ts";
import { narrowChannels } from "../../state/responses/pin-channel.ts";
import { limitationsOf } from "../../upstream/route.ts";

/**
 * The call as providers that connect to its MCP servers themselves serve it; null: the gateway connects to them. The best
 * channels decide: where one of them runs MCP tools, only channels that do serve the call. A route or a list of models is
 * served by such channels alone, or by the gateway.
 */
export function planMcp(context: GatewayContext, call: Call): Call | null {
  if (!context.services.settings.get("mcp.execution_enabled") || !canRunInRounds(call.body.json)) return call;
  const { tiers } = call.candidates;
  const targets = call.route?.targets ?? [];
  const all = [...tiers, ...targets.flatMap(({ candidates }) => candidates.tiers)].flatMap(({ channels }) => channels);
  const isNative = (channel: ChannelEntry) => runsMcp(context, call, channel);
  if (call.fallbacks.length === 0 && all.every(isNative)) return call;
  if (call.route || call.fallbacks.length > 0 || !tiers[0]?.channels.some(isNative)) return null;
  return narrowChannels(call, isNative);
}

function runsMcp(context: GatewayContext, { endpoint, candidates, summary }: Call, channel: ChannelEntry): boolean {
  const chat = providerOf(channel.type)?.chat;
  const { dialect } = endpoint.codec;
  if (!chat?.runsMcp || !chat.formats.includes(dialect)) return false;
  if (dialect === "openai-responses" && limitationsOf(context.limitations, channel).has("responses")) return false;
  const declared = channel.setting.mcp_tools;
  if (!chat.runsMcp(channel, dialect, typeof declared === "boolean" ? declared : null)) return false;
  const model = upstreamModelOf(channel, summary.model, candidates.model);
  return (chat.formatOf(model, channel.keys[0] ?? "", candidates.model, context.catalog()) ?? dialect) === dialect;
}

/** Members by which a request continues what its provider stores, and which every round would add to. */
const STORED_BY_PROVIDER = ["conversation", "prompt", "thread", "container"] as const;

/** Whether the gateway can continue the request round by round. */
const canRunInRounds = (json: JsonObject): boolean => STORED_BY_PROVIDER.every((member) => json[member] == null);
