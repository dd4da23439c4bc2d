import { eq } from "drizzle-orm";
import { channelModelLists } from "../../../../db/schema/channels/channels.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { ChannelEntry } from "../entry.ts";
import type { Actor, ChannelDeps } from "../operation.ts";
import { updateChannel } from "./write-channel.ts";

type Choice = Readonly<{
  add: readonly string[];
  remove: readonly string[];
  /** Offered names that are not to be reported any more. */
  ignore: readonly string[];
}>;

/** Takes chosen models of an upstream over into its channel, and others out of it. Throws OperationError. */
export async function takeOverModels(
  deps: ChannelDeps,
  actor: Actor,
  channel: ChannelEntry,
  { add, remove, ignore }: Choice,
): Promise<void> {
  const removed = new Set(remove);
  const patterns = channel.modelPatterns?.map(({ source }) => source) ?? [];
  const models = [...new Set([...patterns, ...channel.models.filter((model) => !removed.has(model)), ...add])];
  if (models.length === 0) throw new OperationError("channel_model_required");
  if (add.length + remove.length > 0) await updateChannel(deps, actor, channel.id, { models });
  if (ignore.length === 0) return;
  await deps.db.transaction(async (tx) => {
    const isIts = eq(channelModelLists.channelId, channel.id);
    const [list] = await tx.select().from(channelModelLists).where(isIts).for("update");
    if (!list) return;
    // Names that the upstream has dropped since need not be remembered.
    const offered = new Set(list.models);
    const ignored = [...new Set([...list.ignored, ...ignore])].filter((name) => offered.has(name));
    await tx.update(channelModelLists).set({ ignored }).where(isIts);
  });
}
