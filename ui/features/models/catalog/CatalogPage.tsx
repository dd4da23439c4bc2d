import Add from "@mui/icons-material/AddOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Book from "@mui/icons-material/MenuBookOutlined";
import Button from "@mui/material/Button";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { fuzzyMatch } from "../../../api/models/pricing.ts";
import { ColumnTools } from "../../../components/data-table/ColumnTools.tsx";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useLocalPaging } from "../../../components/data-table/url-state.ts";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { PageHeader, Row, usePhone } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { useSession } from "../../../state/session.ts";
import { hasRootRight } from "../../../state/stored-user.ts";
import { CatalogDrawer } from "./CatalogDrawer.tsx";
import { type CatalogModel, catalog, removeUpdate, undoUpdate } from "./catalog-calls.ts";
import { useCatalogColumns } from "./catalog-columns.tsx";
import { UpdateButtons } from "./UpdateButtons.tsx";

const NO_ENTRIES: readonly CatalogModel[] = [];
const STATES = ["served", "own", "unknown", "ending", "patterns"] as const;
type State = (typeof STATES)[number];

const FITS: Readonly<Record<State, (entry: CatalogModel) => boolean>> = {
  served: ({ is_served }) => is_served,
  own: ({ own, price, has_own_price }) => own !== null || (price !== null && has_own_price),
  unknown: ({ is_served, facts }) => is_served && facts.context_window === null && facts.output_limit === null,
  ending: ({ facts }) => facts.deprecation_date !== null,
  patterns: ({ is_pattern }) => is_pattern,
};

const isState = (value: string): value is State => STATES.some((state) => state === value);

/** The model catalog and the operator's overrides. All entries are loaded at once. */
export const CatalogPage = () => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const { user } = useSession();
  const address = useAddress();
  const mayEdit = hasRootRight(user, "models:write");
  const { data, error, refetch } = useQuery(catalog);
  const [drawer, setDrawer] = useState<{ entry: CatalogModel | null } | null>(null);
  const columns = useCatalogColumns();
  const [text, provider, state] = [address.text("search"), address.text("provider"), address.text("state")];
  const entries = data?.entries ?? NO_ENTRIES;
  const providers = useMemo(
    () => [...new Set(entries.flatMap(({ facts }) => facts.provider ?? []))].toSorted((a, b) => a.localeCompare(b)),
    [entries],
  );
  const found = useMemo(
    () =>
      entries.filter(
        (entry) =>
          fuzzyMatch(text, entry.model) &&
          (!provider || entry.facts.provider === provider) &&
          (!isState(state) || FITS[state](entry)),
      ),
    [entries, text, provider, state],
  );
  const { shown, paging } = useLocalPaging(found, t("catalog.unit"), address);
  const isFiltered = text !== "" || provider !== "" || state !== "";
  const tools = mayEdit && (
    <Row wrap gap={2} sx={{ rowGap: 2 }}>
      <UpdateButtons />
      <Button variant="contained" color="primary" startIcon={<Add />} onClick={() => setDrawer({ entry: null })}>
        {t("catalog.add")}
      </Button>
    </Row>
  );
  const model = useDataTable({
    columns,
    rows: data && shown,
    rowId: nameOf,
    rowName: nameOf,
    actions: (entry) => [
      {
        label: t(mayEdit ? "catalog.edit" : "catalog.view"),
        icon: <Edit />,
        onSelect: () => setDrawer({ entry }),
      },
    ],
    columnsKey: "catalog-table-columns",
  });
  return (
    <>
      <PageHeader title={t("catalog.title")} purpose={t("catalog.purpose")} actions={!isPhone && tools} />
      {isPhone && tools && <Row sx={{ mb: 3 }}>{tools}</Row>}
      {data?.update && <UpdateNote update={data.update} mayEdit={mayEdit} />}
      <FilterBar
        search={{ value: text, placeholder: t("catalog.filters.search") }}
        filters={[
          {
            key: "state",
            label: t("catalog.filters.state"),
            value: state,
            options: STATES.map((name) => ({ value: name, label: t(`catalog.states.${name}`) })),
          },
          {
            key: "provider",
            label: t("catalog.columns.provider"),
            value: provider,
            options: providers.map((name) => ({ value: name, label: name })),
          },
        ]}
        onChange={(key, value) => address.set({ [key]: value, p: undefined })}
        onClear={address.clear}
        tools={<ColumnTools model={model} />}
      />
      <DataTable
        model={model}
        error={error}
        onRetry={() => refetch()}
        empty={
          <EmptyState
            icon={<Book />}
            title={t(isFiltered ? "catalog.empty.filteredTitle" : "catalog.empty.title")}
            body={t(isFiltered ? "catalog.empty.filteredBody" : "catalog.empty.body")}
            action={isFiltered && <Button onClick={address.clear}>{t("components.filter.clear")}</Button>}
          />
        }
        paging={paging}
        onOpen={(entry) => setDrawer({ entry })}
      />
      {drawer && <CatalogDrawer entry={drawer.entry} mayEdit={mayEdit} onClose={() => setDrawer(null)} />}
    </>
  );
};

const nameOf = ({ model }: CatalogModel) => model;

type UpdateNoteProps = Readonly<{
  update: Readonly<{ url: string; applied_at: number; can_undo: boolean }>;
  mayEdit: boolean;
}>;

/** Shows the active update, with a button to revert it. */
const UpdateNote = ({ update, mayEdit }: UpdateNoteProps) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const confirm = useConfirm();
  const remove = async () => {
    const question = {
      title: t("catalog.update.removeTitle"),
      body: t("catalog.update.removeBody"),
      action: t("catalog.update.remove"),
    };
    if (!(await confirm(question))) return;
    try {
      await removeUpdate();
      await client.invalidateQueries(catalog);
      notifyDone(t("catalog.update.removed"));
    } catch (error) {
      notifyError(error);
    }
  };
  const undo = async () => {
    const question = {
      title: t("catalog.update.undoTitle"),
      body: t("catalog.update.undoBody"),
      action: t("catalog.update.undo"),
    };
    if (!(await confirm(question))) return;
    try {
      const { retained } = await undoUpdate();
      await client.invalidateQueries(catalog);
      void client.invalidateQueries({ queryKey: ["pricing"] });
      notifyDone(
        retained.length === 0 ? t("catalog.update.undone") : t("catalog.update.undoneKept", { count: retained.length }),
      );
    } catch (error) {
      notifyError(error);
    }
  };
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
