import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import OutlinedInput from "@mui/material/OutlinedInput";
import Switch from "@mui/material/Switch";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Pager } from "../../../components/data-table/paging/Pager.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { isText, mapOf, readRecord } from "../../../lib/json.ts";
import { SettingInput } from "../fields/SettingInput.tsx";
import { readNumberMap } from "../model-prices/price-maps.ts";
import { type EditorView, ViewSwitch } from "../page/SectionView.tsx";
import { useSettings } from "../settings-store.tsx";
import { DiscountEditor } from "./DiscountEditor.tsx";

const COLUMNS = { xs: "minmax(0, 1fr) 96px 32px", sm: "minmax(96px, 160px) 96px auto minmax(120px, 1fr) 32px" };
/** On a phone a group takes two lines, with its actions on the first. */
const AREAS = { xs: '"name ratio remove" "usable text text"', sm: '"name ratio usable text remove"' };

/** More groups are on pages, and can be searched. */
const MOST_LINES = 20;

/** Groups as a form, or as the JSON of both options. */
export const GroupsPanel = () => {
  const { t } = useTranslation();
  const { textOf, change } = useSettings();
  const [view, setView] = useState<EditorView>("visual");
  const [name, setName] = useState("");
  const [search, setSearch] = useState("");
  const [page, setPage] = useState(0);
  const [pageSize, setPageSize] = useState(MOST_LINES);
  const rows = readGroups({ ratios: textOf("GroupRatio"), usable: textOf("UserUsableGroups") });
  const update = (next: readonly GroupRow[]) => {
    const texts = groupTexts(next);
    change("GroupRatio", texts.ratios);
    change("UserUsableGroups", texts.usable);
  };
  const word = search.trim().toLowerCase();
  const found = (rows ?? []).filter(({ name: group, description }) =>
    [group, description ?? ""].some((text) => text.toLowerCase().includes(word)),
  );
  const shownPage = Math.min(page, Math.max(Math.ceil(found.length / pageSize) - 1, 0));
  const add = () => {
    const added = name.trim();
    if (!rows || added === "") return;
    if (rows.some((row) => row.name === added)) {
      notifyError(t("settings.groups.taken"));
      return;
    }
    update([...rows, { name: added, ratio: 1, description: null }]);
    setName("");
    // Among many it is the one that is found now.
    setSearch(rows.length >= MOST_LINES ? added : "");
    setPage(0);
  };
  return (
    <Col gap={4}>
      <ViewSwitch view={view} onChange={setView} />
      {view === "json" || !rows ? (
        <>
          <SettingInput field={{ key: "GroupRatio", kind: "json", shape: "object" }} />
          <SettingInput field={{ key: "GroupModelRatio", kind: "json", shape: "object" }} />
          <SettingInput field={{ key: "GroupGroupRatio", kind: "json", shape: "object" }} />
          <SettingInput field={{ key: "UserUsableGroups", kind: "json", shape: "object" }} />
          <SettingInput field={{ key: "AutoGroups", kind: "json", shape: "list" }} />
          <SettingInput field={{ key: "GroupDiscounts", kind: "json", shape: "list" }} />
        </>
      ) : (
        <>
          {rows.length > MOST_LINES && (
            <OutlinedInput
              type="search"
              value={search}
              placeholder={t("settings.groups.search", { count: rows.length })}
              inputProps={{ "aria-label": t("settings.groups.search", { count: rows.length }) }}
              onChange={(event) => {
                setSearch(event.target.value);
                setPage(0);
              }}
              sx={{ maxWidth: 360 }}
            />
          )}
          {found.slice(shownPage * pageSize, (shownPage + 1) * pageSize).map((row) => (
            <GroupLine
              key={row.name}
              row={row}
              onChange={(next) => update(rows.map((other) => (other.name === row.name ? next : other)))}
              onRemove={() => update(rows.filter((other) => other.name !== row.name))}
            />
          ))}
          {found.length === 0 && rows.length > 0 && (
            <Box sx={{ fontSize: 13, color: "text.tertiary" }}>{t("components.filter.nothing")}</Box>
          )}
          {found.length > MOST_LINES && (
            <Pager
              page={shownPage}
              pageSize={pageSize}
              total={found.length}
              unit={t("settings.groups.unit")}
              onPage={setPage}
              onPageSize={setPageSize}
            />
          )}
          <Row gap={2} sx={{ maxWidth: 360 }}>
            <OutlinedInput
              fullWidth
              value={name}
              placeholder={t("settings.groups.name")}
              inputProps={{ "aria-label": t("settings.groups.name"), maxLength: 64 }}
              onChange={(event) => setName(event.target.value)}
              onKeyDown={(event) => event.key === "Enter" && add()}
            />
            <Button onClick={add} disabled={name.trim() === ""}>
              {t("settings.groups.add")}
            </Button>
          </Row>
          <SettingInput field={{ key: "GroupModelRatio", kind: "json", shape: "object" }} />
          <SettingInput field={{ key: "GroupGroupRatio", kind: "json", shape: "object" }} />
          <SettingInput field={{ key: "AutoGroups", kind: "json", shape: "list" }} />
          <DiscountEditor groups={rows.map((row) => row.name)} />
        </>
      )}
    </Col>
  );
};

type GroupLineProps = Readonly<{ row: GroupRow; onChange: (row: GroupRow) => void; onRemove: () => void }>;

const GroupLine = ({ row, onChange, onRemove }: GroupLineProps) => {
  const { t } = useTranslation();
  const [ratio, setRatio] = useState<string | null>(null);
  const shown = ratio ?? (row.ratio === null ? "" : String(row.ratio));
  const leave = () => {
    if (ratio === null) return;
    const value = ratio.trim() === "" ? null : Number(ratio);
    if (value !== null && !(value >= 0 && Number.isFinite(value))) {
      notifyError(t("settings.errors.number"));
      return;
    }
    onChange({ ...row, ratio: value });
    setRatio(null);
  };
  const isUsable = row.description !== null;
  return (
    <Box sx={{ display: "grid", gridTemplateColumns: COLUMNS, gridTemplateAreas: AREAS, gap: 3, alignItems: "center" }}>
      <Box sx={{ gridArea: "name", fontSize: 13, fontWeight: 560, overflowWrap: "anywhere" }}>{row.name}</Box>
      <OutlinedInput
        value={shown}
        sx={{ gridArea: "ratio" }}
        startAdornment="×"
        inputProps={{
          "aria-label": t("settings.groups.ratioOf", { name: row.name }),
          inputMode: "decimal",
          className: "num",
        }}
        onChange={(event) => setRatio(event.target.value)}
        onBlur={leave}
      />
      <Row gap={1.5} sx={{ gridArea: "usable" }}>
        <Switch
          checked={isUsable}
          onChange={(event) => onChange({ ...row, description: event.target.checked ? row.name : null })}
          slotProps={{ input: { "aria-label": t("settings.groups.usableOf", { name: row.name }) } }}
        />
        <Box sx={{ fontSize: 12.5, color: "text.secondary" }}>{t("settings.groups.usable")}</Box>
      </Row>
      <OutlinedInput
        value={row.description ?? ""}
        sx={{ gridArea: "text" }}
        disabled={!isUsable}
        placeholder={t("settings.groups.description")}
        inputProps={{ "aria-label": t("settings.groups.descriptionOf", { name: row.name }) }}
        onChange={(event) => onChange({ ...row, description: event.target.value })}
      />
      <IconButton
        sx={{ gridArea: "remove" }}
        aria-label={t("settings.groups.remove", { name: row.name })}
        onClick={onRemove}
      >
        <Delete />
      </IconButton>
    </Box>
  );
};

/** A group: its price ratio, and whether users may choose it. Without a ratio it can't be used. */
type GroupRow = Readonly<{ name: string; ratio: number | null; description: string | null }>;

type GroupTexts = Readonly<{ ratios: string; usable: string }>;

/** Parses the groups of both options; null if one is not a valid map. */
export function readGroups({ ratios, usable }: GroupTexts): GroupRow[] | null {
  const factors = readNumberMap(ratios);
  const descriptions = readTextMap(usable);
  if (!factors || !descriptions) return null;
  const names = [...new Set([...Object.keys(factors), ...Object.keys(descriptions)])];
  return names.map((name) => ({ name, ratio: factors[name] ?? null, description: descriptions[name] ?? null }));
}

/** Formats the groups as both options' texts. */
export const groupTexts = (rows: readonly GroupRow[]): GroupTexts => ({
  ratios: mapText(rows.map(({ name, ratio }) => [name, ratio])),
  usable: mapText(rows.map(({ name, description }) => [name, description])),
});

const mapText = (entries: readonly (readonly [string, string | number | null])[]): string =>
  JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== null)), null, 2);

const readTextMap = (text: string) => mapOf(readRecord(text), isText);
