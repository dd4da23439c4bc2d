import { Elysia } from "elysia";
import { createModelCatalog } from "../../../catalog/catalog.ts";
import { AUTO_GROUP, usableGroups, usableInOrder } from "../../../domain/accounts/users/usable-groups.ts";
import type { ChannelDirectory } from "../../../domain/channels/directory.ts";
import { isRetired } from "../../../domain/channels/upstream/retired-models.ts";
import { toText } from "../../../lib/values/decimal.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";

type GroupServices = Readonly<{
  settings: SettingsReader;
  channels: Pick<ChannelDirectory, "modelsOf" | "candidates">;
}>;

const VISITORS_GROUP = "default";

/** Groups, and the models they give access to. */
export function groupRoutes({ settings, channels }: GroupServices, guarded: ReturnType<typeof guard>) {
  /** Group → price factor and description. Groups without a factor can't be used and are left out. */
  const describe = (ownGroup: string) => {
    const ratios = settings.get("GroupRatio");
    const described: Record<string, { ratio: number; desc: string }> = {};
    for (const [name, desc] of usableGroups(settings, ownGroup)) {
      const ratio = ratios.get(name);
      if (ratio) described[name] = { ratio: Number(toText(ratio)), desc };
    }
    return described;
  };
  /** The groups that somebody's keys can have: `auto`, too, with the factor of the first of its groups. */
  const describeForKeys = (ownGroup: string) => {
    const described = describe(ownGroup);
    const inOrder = described[AUTO_GROUP] ? [] : usableInOrder(settings, ownGroup, AUTO_GROUP);
    const first = described[inOrder[0] ?? ""];
    return first ? { ...described, [AUTO_GROUP]: { ratio: first.ratio, desc: inOrder.join(", ") } } : described;
  };
  const catalog = createModelCatalog(settings);
  return new Elysia({ prefix: "/api", name: "console/groups" })
    .use(guarded)
    .get("/group", () => ok([...settings.get("GroupRatio").keys()]), { role: "admin" })
    .get("/user/groups", () => ok(describe(VISITORS_GROUP)))
    .get("/user/self/groups", ({ actor }) => ok(describeForKeys(actor.group)), { account: "organization.read" })
    .get(
      "/user/models",
      ({ actor }) => {
        const models = new Set<string>();
        for (const group of Object.keys(describe(actor.group))) {
          for (const model of channels.modelsOf(group)) {
            if (models.has(model)) continue;
            const candidates = channels.candidates(group, model);
            if (candidates && !isRetired(catalog(), candidates, model)) models.add(model);
          }
        }
        return ok([...models].sort());
      },
      { account: "organization.read" },
    );
}
