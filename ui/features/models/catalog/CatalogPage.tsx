import Download from "@mui/icons-material/CloudDownloadOutlined";
import Book from "@mui/icons-material/MenuBookOutlined";
import Upload from "@mui/icons-material/UploadFileOutlined";
import Button from "@mui/material/Button";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { readData } from "../../../api/client.ts";
import { catalogApi } from "../../../api/groups.ts";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { FileInput } from "../../../components/form/FileInput.tsx";
import { Row } from "../../../components/layout.tsx";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import type { ListContext } from "../../../components/page/list/list-context.ts";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";
import { editing } from "../../../components/page/list/standard-actions.tsx";
import { useSession } from "../../../state/session.ts";
import { hasRootRight } from "../../../state/stored-user.ts";
import { CatalogDrawer } from "./CatalogDrawer.tsx";
import { type CatalogModel, catalog, catalogSummary, removeUpdate, undoUpdate } from "./catalog-calls.ts";
import { CATALOG_COLUMNS } from "./catalog-columns.tsx";
import { UpdateDrawer } from "./UpdateDrawer.tsx";

const STATES = ["served", "own", "unknown", "ending", "patterns"] as const;

const MAY_EDIT = { root: "models:write" } as const;

const form = (entry: CatalogModel | null, close: () => void, { data }: ListContext<Data>) => (
  <CatalogDrawer entry={entry} mayEdit={data.mayEdit} onClose={close} />
);

/** The model catalog and the operator's overrides. */
export const CATALOG: ResourceList<CatalogModel, Filters, Data> = {
  text: (name) => `catalog.${name}`,
  icon: Book,
  rows: {
    key: catalog.queryKey,
    read: (query, signal) => readData(catalogApi.models.get({ query, fetch: { signal } })),
  },
  query: ({ text }) => ({ keyword: text("search"), provider: text("provider"), state: text("state") }),
  rowId: ({ model }) => model,
  rowName: ({ model }) => model,
  unit: "catalog.unit",
  columns: CATALOG_COLUMNS,
  search: "catalog.filters.search",
  filters: [
    { key: "state", options: STATES.map((state) => [state, `catalog.states.${state}`] as const) },
    {
      key: "provider",
      head: "catalog.columns.provider",
      options: ({ providers }) => providers.map((name) => ({ value: name, label: name })),
    },
  ],
  add: { name: "add", needs: MAY_EDIT, open: form },
  tools: [
    { name: "update.fetch", icon: Download, needs: MAY_EDIT, open: (_, close) => <UpdateDrawer onClose={close} /> },
    { name: "update.import", icon: Upload, needs: MAY_EDIT, run: (_, { data }) => data.file.current?.click() },
  ],
  actions: [editing(form, { label: ({ t, data }) => t(data.mayEdit ? "catalog.edit" : "catalog.view") })],
  onRow: ["edit"],
  emptyFiltered: { title: "catalog.empty.filteredTitle", body: "catalog.empty.filteredBody" },
  above: ({ act, data: { update, mayEdit } }) => update && <UpdateNote update={update} mayEdit={mayEdit} act={act} />,
  below: (_, { t, open, data }) => (
    <FileInput
      input={data.file}
      label={t("catalog.update.import")}
      onFile={(file) =>
        file
          .text()
          .then((document) => open((close) => <UpdateDrawer document={document} onClose={close} />), notifyError)
      }
    />
  ),
  remembers: { as: "catalog", columns: "choice" },
  reload: [catalog, { queryKey: ["pricing"] }],
  useData,
};

type Filters = Readonly<{ keyword: string; provider: string; state: string }>;
type Data = ReturnType<typeof useData>;

function useData() {
  const { user } = useSession();
  const { providers = [], update } = useQuery(catalogSummary).data ?? {};
  return {
    providers,
    update,
    mayEdit: hasRootRight(user, MAY_EDIT.root),
    /** Chooses a file with an update. */
    file: useRef<HTMLInputElement>(null),
  };
}

export const CatalogPage = () => <ListPage list={CATALOG} />;

type UpdateNoteProps = Readonly<{
  update: Readonly<{ url: string; applied_at: number; can_undo: boolean }>;
  mayEdit: boolean;
  act: ListContext<unknown>["act"];
}>;

/** Shows the active update, with a button to revert it. */
const UpdateNote = ({ update, mayEdit, act }: UpdateNoteProps) => {
  const { t } = useTranslation();
  const remove = () =>
    act({
      question: {
        title: t("catalog.update.removeTitle"),
        body: t("catalog.update.removeBody"),
        action: t("catalog.update.remove"),
      },
      work: removeUpdate,
      done: () => t("catalog.update.removed"),
    });
  const undo = () =>
    act({
      question: {
        title: t("catalog.update.undoTitle"),
        body: t("catalog.update.undoBody"),
        action: t("catalog.update.undo"),
      },
      work: undoUpdate,
      done: ({ retained }) =>
        retained.length === 0 ? t("catalog.update.undone") : t("catalog.update.undoneKept", { count: retained.length }),
    });
  return (
    <Row wrap gap={2} sx={{ mb: 3, fontSize: 13, color: "text.secondary" }}>
      <span>{update.url ? t("catalog.update.from", { url: update.url }) : t("catalog.update.fromFile")}</span>
      <TimeAgo seconds={update.applied_at} />
      {mayEdit && update.can_undo && (
        <Button size="small" onClick={undo}>
          {t("catalog.update.undo")}
        </Button>
      )}
      {mayEdit && (
        <Button size="small" onClick={remove}>
          {t("catalog.update.remove")}
        </Button>
      )}
    </Row>
  );
};
