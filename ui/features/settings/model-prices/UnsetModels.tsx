import CheckCircle from "@mui/icons-material/CheckCircleOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Column, type Selected, selectedIds } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useLocalPaging } from "../../../components/data-table/url-state.ts";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { Row } from "../../../components/layout.tsx";
import { PriceDrawer } from "./PriceDrawer.tsx";
import { PriceInput } from "./PriceInput.tsx";
import { type NumberMap, type PriceKey, type PriceMaps, type PriceRow, rowOf, withRow } from "./price-maps.ts";
import { type usePriceMaps, usePriceView } from "./price-view.ts";

type UnsetModelsProps = Readonly<{
  prices: ReturnType<typeof usePriceMaps>;
  maps: PriceMaps;
  /** Served by enabled channels, without a price that is saved. */
  models: readonly string[];
}>;

const NONE: Selected = {};

/** The models that can't be called because they have no price; sets prices one by one or in bulk. */
export const UnsetModels = ({ prices, maps, models }: UnsetModelsProps) => {
  const { t } = useTranslation();
  const [selected, setSelected] = useState(NONE);
  const { search, address } = usePriceView();
  const rows = useMemo(
    () =>
      models
        .filter((name) => name.toLowerCase().includes(search.trim().toLowerCase()))
        .map((name) => rowOf(maps, name)),
    [models, maps, search],
  );
  const apply = (row: PriceRow) => prices.apply(withRow(maps, row));
  const { shown, paging } = useLocalPaging(rows, t("settings.pricing.unit"), address);
  const [mode, setMode] = useState<BatchMode>("ratio");
  const [value, setValue] = useState("");
  const [completion, setCompletion] = useState("");
  const [editing, setEditing] = useState<string | null>(null);
  const fill = () => {
    const chosen = models.filter((name) => selected[name]);
    const batch = { mode, value, completion };
    const fault = batchFault(batch, chosen.length);
    if (fault) {
      notifyError(t(`settings.pricing.batch.errors.${fault}`));
      return;
    }
    prices.apply(withBatchPrices(maps, chosen, batch));
    setSelected(NONE);
    notifyDone(t("settings.pricing.batch.done", { count: chosen.length }));
  };
  const columns: readonly Column<PriceRow>[] = [
    { key: "name", head: t("settings.pricing.columns.name"), isTitle: true, cell: ({ name }) => <span>{name}</span> },
    ...(["input", "output"] as const).map(
      (key): Column<PriceRow> => ({
        key,
        head: t(`settings.pricing.columns.${key}`),
        width: 132,
        align: "right",
        isSolid: true,
        cell: (row) => <PriceInput row={row} field={`${key}Price`} onApply={apply} />,
      }),
    ),
  ];
  const model = useDataTable({
    columns,
    rows: shown,
    rowId: nameOf,
    rowName: nameOf,
    selection: { selected, onChange: setSelected },
  });
  return (
    <div>
      {models.length > 0 && (
        <Box sx={{ mb: 3, fontSize: 12.5, color: "text.secondary" }}>{t("settings.pricing.unset.why")}</Box>
      )}
      <FilterBar
        search={{ value: search, placeholder: t("settings.pricing.search") }}
        filters={[]}
        onChange={(_, value) => address.set({ model: value, p: undefined })}
        onClear={() => address.set({ model: undefined, p: undefined })}
      />
      <Row wrap gap={2} sx={{ mb: 3, rowGap: 2 }}>
        <Select
          value={mode}
          onChange={(event) => setMode(event.target.value)}
          SelectDisplayProps={{ "aria-label": t("settings.pricing.batch.mode") }}
          sx={{ minWidth: 180 }}
        >
          {BATCH_MODES.map((name) => (
            <MenuItem key={name} value={name}>
              {t(`settings.pricing.batch.modes.${name}`)}
            </MenuItem>
          ))}
        </Select>
        <OutlinedInput
          value={value}
          onChange={(event) => setValue(event.target.value)}
          placeholder={t(mode === "both" ? "settings.pricing.form.ratio" : "settings.pricing.batch.value")}
          inputProps={{
            "aria-label": t(mode === "both" ? "settings.pricing.form.ratio" : "settings.pricing.batch.value"),
            inputMode: "decimal",
          }}
          sx={{ width: 140 }}
        />
        {mode === "both" && (
          <OutlinedInput
            value={completion}
            onChange={(event) => setCompletion(event.target.value)}
            placeholder={t("settings.pricing.form.completionRatio")}
            inputProps={{ "aria-label": t("settings.pricing.form.completionRatio"), inputMode: "decimal" }}
            sx={{ width: 160 }}
          />
        )}
        <Button onClick={fill}>
          {selectedIds(selected).length === 0
            ? t("settings.pricing.batch.idle")
            : t("settings.pricing.batch.action", { count: selectedIds(selected).length })}
        </Button>
      </Row>
      <DataTable
        model={model}
        empty={
          <EmptyState
            icon={<CheckCircle />}
            title={t("settings.pricing.unset.title")}
            body={t("settings.pricing.unset.body")}
          />
        }
        paging={paging}
        onOpen={({ name }) => setEditing(name)}
      />
      {editing !== null && (
        <PriceDrawer
          row={rowOf(maps, editing)}
          isTaken={() => false}
          onApply={apply}
          onClose={() => setEditing(null)}
        />
      )}
    </div>
  );
};

const nameOf = ({ name }: PriceRow): string => name;

const BATCH_MODES = ["price", "ratio", "completionRatio", "both"] as const;
type BatchMode = (typeof BATCH_MODES)[number];

type BatchFill = Readonly<{ mode: BatchMode; value: string; completion: string }>;
/** A key under `settings.pricing.batch.errors` in the locales. */
type BatchFault = "selection" | "both" | "value" | "number";

const isNumber = (text: string): boolean => Number.isFinite(Number(text)) && Number(text) >= 0;

/** Why the bulk price can't be applied to the models; null if it can. */
export function batchFault({ mode, value, completion }: BatchFill, selected: number): BatchFault | null {
  if (selected === 0) return "selection";
  const isEmpty = value.trim() === "";
  if (mode === "both") {
    if (isEmpty || completion.trim() === "") return "both";
    return isNumber(value) && isNumber(completion) ? null : "number";
  }
  if (isEmpty) return "value";
  return isNumber(value) && !(mode === "price" && Number(value) === 0) ? null : "number";
}

/** The maps with the models' prices set; only those that change. */
export function withBatchPrices(
  maps: PriceMaps,
  models: readonly string[],
  { mode, value, completion }: BatchFill,
): Partial<Record<PriceKey, NumberMap>> {
  const filled = (key: PriceKey, text: string) => ({
    [key]: { ...maps[key], ...Object.fromEntries(models.map((model) => [model, Number(text)])) },
  });
  switch (mode) {
    case "price":
      return filled("ModelPrice", value);
    case "ratio":
      return filled("ModelRatio", value);
    case "completionRatio":
      return filled("CompletionRatio", value);
    case "both":
      return { ...filled("ModelRatio", value), ...filled("CompletionRatio", completion) };
  }
}
