import Add from "@mui/icons-material/AddOutlined";
import Button from "@mui/material/Button";
import { useQueryClient } from "@tanstack/react-query";
import type { RowData } from "@tanstack/react-table";
import { type ReactNode, useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { ColumnTools } from "../../data-table/ColumnTools.tsx";
import { type Selected, type Selection, selectedIds } from "../../data-table/column.ts";
import { DataTable } from "../../data-table/DataTable.tsx";
import { SelectionBar } from "../../data-table/SelectionBar.tsx";
import { useDataTable } from "../../data-table/use-data-table.ts";
import { EmptyState } from "../../feedback/EmptyState.tsx";
import { FilterBar } from "../../inputs/FilterBar.tsx";
import { SavedViews } from "../../inputs/SavedViews.tsx";
import { usePhone } from "../../layout.tsx";
import { ListTools } from "./ListTools.tsx";
import { actionsOn, perform } from "./list-actions.ts";
import type { ListContext } from "./list-context.ts";
import type { Picked, ResourceList } from "./resource-list.ts";
import { useFilters } from "./use-filters.ts";
import { useColumns, useListContext } from "./use-list-context.ts";
import { useListRows } from "./use-list-rows.ts";

const NO_ROWS: Selected = {};
const NO_LIST: readonly never[] = [];

type Layout = Readonly<{
  /** The address is its own. */
  isPage?: boolean;
  /** Its button is the page's main one. */
  isMain?: boolean;
}>;

/** The parts of a described list: what stands in a head, and the list with all that it opens. */
export function useList<Row extends RowData, Query, Data>(
  list: ResourceList<Row, Query, Data>,
  { isPage, isMain }: Layout,
) {
  const { text, icon: Icon, download, remembers } = list;
  const { t } = useTranslation();
  const [selected, setSelected] = useState(NO_ROWS);
  const clearSelection = useCallback(() => setSelected(NO_ROWS), []);
  const { context, reload, opened } = useListContext(list.useData, setSelected);
  const { address, may } = context;
  const filters = useFilters(list.filters ?? [], text, context, isPage ?? false);
  // Without this function the list has no filters.
  const query = list.query?.(filters.values, context) ?? ({} as Query);
  const found = useListRows(list, filters.values, query, context, () => !list.isSelectionLasting && clearSelection());
  const client = useQueryClient();
  reload.current = () => {
    for (const what of list.reload ?? []) void client.invalidateQueries(what);
    if (!list.reload) found.reload();
  };
  const nameOf = (row: Row) => list.rowName(row, context);
  const actions = (list.actions ?? []).filter(({ needs }) => may(needs));
  const actionsOf = (row: Row) => actionsOn(actions, row, text, context, { name: nameOf(row), count: 1 });
  const bulk = (list.bulk ?? []).filter(({ needs }) => may(needs));
  const picked = pickedOf(list, selected, found.rows ?? []);
  const count = picked.ids.length;
  const model = useDataTable({
    columns: useColumns(list, context),
    rows: found.rows,
    rowId: list.rowId,
    rowName: nameOf,
    ...found.sorting,
    ...(remembers?.columns && { columnsKey: `${remembers.as}-table-columns` }),
    ...(bulk.length > 0 && { selection: selectionOf(list, selected, setSelected, found.rows ?? NO_LIST) }),
    ...(list.detail && { detail: list.detail }),
    ...(actions.length > 0 && { actions: actionsOf }),
  });
  const add = useAdd(list, context, isMain ?? false);
  const isEmptied = filters.isAnySet && list.emptyFiltered;
  const empty = isEmptied || list.empty || { title: text("empty.title"), body: text("empty.body") };
  const body = (
    <>
      {(list.search || list.filters) && (
        <FilterBar
          search={{ value: address.text("search"), placeholder: list.search ? t(list.search) : "" }}
          filters={filters.filters}
          onChange={filters.onChange}
          onClear={filters.onClear}
          pinned={list.pinned?.(query, context)}
          tools={
            <>
              {list.filterTools?.(query, context)}
              {remembers?.views && <SavedViews list={remembers.as} />}
              {remembers?.columns === "choice" && <ColumnTools model={model} />}
            </>
          }
        />
      )}
      <DataTable
        model={model}
        isRefreshing={found.isRefreshing}
        error={found.error}
        onRetry={found.reload}
        empty={
          <EmptyState
            icon={<Icon />}
            title={t(empty.title)}
            body={t(empty.body)}
            action={
              isEmptied ? (
                <Button onClick={filters.onClear}>{t("components.filter.clear")}</Button>
              ) : list.empty && "action" in list.empty ? (
                list.empty.action
              ) : (
                add.button
              )
            }
          />
        }
        {...(found.paging && { paging: found.paging })}
        {...(list.card && { card: (row: Row) => list.card?.(row, context) })}
        {...openerOf(list, context, actionsOf, actions.length > 0)}
        {...(list.isDim && { isDim: (row: Row) => list.isDim?.(row, context) ?? false })}
      />
      {count > 0 && (
        <SelectionBar
          count={count}
          {...(list.selection && { label: t(list.selection.label, { count }) })}
          onClear={clearSelection}
          actions={actionsOn(bulk, picked, text, context, { count }).map(({ label, icon, isDangerous, start }) => ({
            ...{ label, icon, isDangerous },
            onSelect: async () => (await start()) && clearSelection(),
          }))}
        />
      )}
      {list.below?.(found.rows ?? NO_LIST, context)}
      {add.opened}
      {opened}
    </>
  );
  const tools = actionsOn(list.tools ?? [], null, text, context);
  const more = actionsOn(list.more ?? [], null, text, context);
  return {
    add: add.button,
    tools: tools.length + more.length > 0 && <ListTools tools={tools} more={more} title={text("moreActions")} />,
    above: list.above?.(context),
    download: download && may(download.needs) && (() => download.request(query)),
    hasRows: (found.rows ?? []).length > 0,
    body,
  };
}

function selectionOf<Row extends RowData, Query, Data>(
  { selection }: ResourceList<Row, Query, Data>,
  selected: Selected,
  onChange: (selected: Selected) => void,
  rows: readonly Row[],
): Selection {
  if (!selection) return { selected, onChange };
  const shown = selection.shown(selected, rows);
  return { selected: shown, onChange: (next) => onChange(selection.changed(shown, next, rows)) };
}

function pickedOf<Row extends RowData, Query, Data>(
  { rowId, isSelectionLasting }: ResourceList<Row, Query, Data>,
  selected: Selected,
  shown: readonly Row[],
): Picked<Row> {
  const rows = shown.filter((row) => selected[rowId(row)]);
  return { rows, ids: isSelectionLasting ? selectedIds(selected) : rows.map((row) => String(rowId(row))) };
}

/** What a click on a row does. */
function openerOf<Row extends RowData, Query, Data>(
  { onRow, rowName, text }: ResourceList<Row, Query, Data>,
  context: ListContext<Data>,
  actionsOf: (row: Row) => ReturnType<typeof actionsOn>,
  hasActions: boolean,
): { onOpen?: (row: Row) => void } {
  if (onRow === undefined) return {};
  if (!("length" in onRow)) {
    const named = (row: Row) => ({ label: "", name: text(""), texts: { name: rowName(row, context) } });
    return { onOpen: (row) => void perform(onRow, row, context, named(row)) };
  }
  if (!hasActions) return {};
  return {
    onOpen(row) {
      const offered = actionsOf(row).filter(({ isDisabled }) => !isDisabled);
      onRow
        .map((name) => offered.find((action) => action.name === name))
        .find(Boolean)
        ?.onSelect();
    },
  };
}

/** The button that adds a row, and what it opens where the address says so. */
function useAdd<Row extends RowData, Query, Data>(
  { add, text }: ResourceList<Row, Query, Data>,
  context: ListContext<Data>,
  isMain: boolean,
): Readonly<{ button?: ReactNode; opened?: ReactNode }> {
  const isPhone = usePhone();
  const { address, t } = context;
  const [action] = add ? actionsOn([add], null, text, context) : [];
  if (!add || !action) return {};
  const { short, inAddress } = add;
  const button = (
    <Button
      {...(isMain && { variant: "contained", color: "primary" })}
      startIcon={<Add />}
      disabled={action.isDisabled}
      onClick={action.onSelect}
    >
      {isPhone && short ? t(short) : action.label}
    </Button>
  );
  if (inAddress === undefined || address.text(inAddress) === "" || !("open" in add)) return { button };
  return { button, opened: add.open(null, () => address.set({ [inAddress]: undefined }), context) };
}
