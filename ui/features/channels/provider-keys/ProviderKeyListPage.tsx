import Test from "@mui/icons-material/NetworkCheckOutlined";
import Key from "@mui/icons-material/VpnKeyOutlined";
import Box from "@mui/material/Box";
import { useQuery } from "@tanstack/react-query";
import { Quiet, type Status } from "../../../components/page/list/column-kinds.tsx";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import type { ListContext } from "../../../components/page/list/list-context.ts";
import type { FilterValues, ResourceList } from "../../../components/page/list/resource-list.ts";
import { deleting, editing, switching } from "../../../components/page/list/standard-actions.tsx";
import { formatNumber } from "../../../lib/format/number.ts";
import { ProviderKeyDrawer } from "./ProviderKeyDrawer.tsx";
import {
  deleteKey,
  type ProviderKeyOffer,
  type ProviderKeyView,
  providerKeyOffer,
  providerKeys,
  testKey,
  updateKey,
} from "./provider-key-calls.ts";

type Data = Readonly<{ offer: ProviderKeyOffer | undefined }>;
type Context = ListContext<Data>;

const needs = "keys.all";

const form = (key: ProviderKeyView | null, close: () => void, { data: { offer } }: Context) =>
  offer && <ProviderKeyDrawer providerKey={key} offer={offer} onClose={close} />;

/** Keys at providers of the account that the user acts for. */
export const PROVIDER_KEYS: ResourceList<ProviderKeyView, object, Data> = {
  text: (name) => `providerKeys.${name}`,
  icon: Key,
  rows: { useAll: () => useQuery(providerKeys()), matches },
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  unit: "providerKeys.unit",
  columns: [
    { key: "name", kind: "text", isTitle: true, of: "name" },
    { key: "provider", kind: "text", of: "provider_name" },
    { key: "models", cell: ({ models }) => models.join(", ") },
    { key: "mode", width: 190, cell: ({ mode }, { t }) => <Quiet>{t(`providerKeys.modes.${mode}`)}</Quiet> },
    { key: "created", kind: "time", width: 150, of: "created_at" },
    { key: "status", kind: "status", width: 150, of: statusOf },
  ],
  search: "providerKeys.search",
  add: {
    name: "add",
    short: "providerKeys.addShort",
    needs,
    isShown: (_, { data: { offer } }) => offer?.stored === true,
    open: form,
  },
  actions: [
    editing(form, { needs }),
    {
      name: "test",
      icon: Test,
      needs,
      work: async ({ id, name }, { t }) => {
        const { success, models, error } = await testKey(id);
        if (!success) throw new Error(t("providerKeys.testFailed", { name, reason: error }));
        return { models: formatNumber(models.length) };
      },
      done: "providerKeys.testedToast",
    },
    ...switching<ProviderKeyView, Data>({
      needs,
      isOn: ({ enabled }) => enabled,
      work: ({ id, name, provider, models, mode }, enabled) =>
        updateKey(id, { name, provider, models, mode, enabled, key: "" }),
      done: { on: "providerKeys.enabledToast", off: "providerKeys.disabledToast" },
    }),
    deleting(({ id }) => deleteKey(id), "providerKeys.deletedToast", {
      needs,
      ask: {
        title: "providerKeys.deleteTitle",
        body: "providerKeys.deleteBody",
        action: "providerKeys.deleteAction",
      },
    }),
  ],
  onRow: ["edit"],
  above: Terms,
  emptyFiltered: { title: "providerKeys.empty.filteredTitle", body: "providerKeys.empty.filteredBody" },
  isDim: ({ enabled }) => !enabled,
  remembers: { as: "provider-keys", columns: "widths" },
  reload: [{ queryKey: ["provider-keys"] }],
  useData: () => ({ offer: useQuery(providerKeyOffer()).data }),
};

/** What the site allows and charges. */
function Terms({ data: { offer }, t }: Context) {
  if (!offer) return null;
  const { stored, sent, fee_percent: percent, fee_per_call: usd } = offer;
  const parts = [
    t(`providerKeys.terms.${stored ? (sent ? "both" : "stored") : sent ? "sent" : "none"}`),
    Number(percent) === 0 && Number(usd) === 0
      ? t("providerKeys.terms.free")
      : t(Number(usd) === 0 ? "providerKeys.terms.share" : "providerKeys.terms.fee", { percent, usd }),
  ];
  return <Box sx={{ mb: 4, fontSize: 12.5, color: "text.secondary" }}>{parts.join(" ")}</Box>;
}

function statusOf({ enabled, last_error: reason }: ProviderKeyView): Status {
  if (!enabled) return { tone: "idle", text: "providerKeys.status.disabled" };
  if (reason !== "") return { tone: "bad", text: "providerKeys.status.refused", reason };
  return { tone: "ok", quiet: true, text: "providerKeys.status.ready" };
}

/** Whether a name, provider or model contains what is searched. */
function matches({ name, provider_name: provider, models }: ProviderKeyView, { text: textOf }: FilterValues): boolean {
  const text = textOf("search").trim().toLowerCase();
  return [name, provider, ...models].some((each) => each.toLowerCase().includes(text));
}

export const ProviderKeyListPage = () => <ListPage list={PROVIDER_KEYS} />;
