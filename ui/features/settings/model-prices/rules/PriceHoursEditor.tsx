import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import OutlinedInput from "@mui/material/OutlinedInput";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Col, Panel, Row } from "../../../../components/layout.tsx";
import { formatDate } from "../../../../lib/format/time.ts";
import { SettingInput } from "../../fields/SettingInput.tsx";
import { json } from "../../setting-field.ts";
import { useSettingHint, useSettings } from "../../settings-store.tsx";
import { FactorInputs } from "./FactorInputs.tsx";
import { ModelPicker, NamePicker } from "./ModelPicker.tsx";
import { DAYS, type HoursRow, hoursText, readHours, rowsFor } from "./special-prices.ts";

const FIELD = json("PriceHours");
const SHOWN = 4;
/** A Monday. */
const MONDAY_MS = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;
const ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone")];

/** Hours and weekdays at which models cost more or less; saved with the section. */
export const PriceHoursEditor = ({ models }: { models: readonly string[] }) => {
  const { t } = useTranslation();
  const { textOf, change, defaults } = useSettings();
  const hint = useSettingHint()(FIELD);
  const [model, setModel] = useState("");
  const [isOpen, setOpen] = useState(false);
  const rows = readHours(textOf("PriceHours"));
  if (!rows) return <SettingInput field={FIELD} />;
  const update = (next: readonly HoursRow[]) => change("PriceHours", hoursText(next));
  const name = model.trim();
  const add = () => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
    update([
      ...rows,
      { model: name, days: [], from: "09:00", until: "18:00", zone, input: 2, output: 2, cached: null },
    ]);
  };
  const found = rowsFor(rows, name);
  const shown = isOpen || name !== "" ? found : found.slice(0, SHOWN);
  const missing = (readHours(defaults.PriceHours ?? "{}") ?? []).filter(
    (listed) => !rows.some((row) => row.model === listed.model),
  );
  return (
    <Panel title={t("settings.fields.PriceHours.label")}>
      <Col gap={3}>
        <Box sx={{ fontSize: 12.5, color: "text.secondary" }}>{hint}</Box>
        <Row gap={2} sx={{ maxWidth: 480 }}>
          <ModelPicker models={models} value={model} label={t("settings.priceHours.model")} onChange={setModel} />
          <Button onClick={add} disabled={name === ""}>
            {t("settings.priceHours.add")}
          </Button>
        </Row>
        {shown.map((row) => {
          const place = rows.indexOf(row);
          return (
            <HoursLine
              key={place}
              row={row}
              onChange={(changed) => update(rows.map((other) => (other === row ? { ...row, ...changed } : other)))}
              onRemove={() => update(rows.filter((other) => other !== row))}
            />
          );
        })}
        <Row gap={2} wrap>
          {shown.length < found.length && (
            <Button size="small" variant="text" onClick={() => setOpen(true)}>
              {t("settings.priceHours.all", { count: found.length })}
            </Button>
          )}
          {missing.length > 0 && (
            <Button size="small" variant="text" onClick={() => update([...rows, ...missing])}>
              {t("settings.priceHours.listed", { count: missing.length })}
            </Button>
          )}
        </Row>
      </Col>
    </Panel>
  );
};

const HoursLine = ({
  row,
  onChange,
  onRemove,
}: Readonly<{ row: HoursRow; onChange: (changed: Partial<HoursRow>) => void; onRemove: () => void }>) => {
  const { t, i18n } = useTranslation();
  const dayName = (place: number) =>
    formatDate(MONDAY_MS + place * DAY_MS, i18n.language, { weekday: "short", timeZone: "UTC" });
  const name = row.model;
  const isEveryDay = row.days.length === 0;
  return (
    <Col gap={2} sx={{ pb: 2, borderBottom: "1px solid", borderColor: "line.faint" }}>
      <Row gap={2} sx={{ justifyContent: "space-between" }}>
        <Box sx={{ fontSize: 13, fontWeight: 560, overflowWrap: "anywhere" }}>{name}</Box>
        <IconButton aria-label={t("settings.priceHours.remove", { name, from: row.from })} onClick={onRemove}>
          <Delete />
        </IconButton>
      </Row>
      <Row gap={2} wrap sx={{ rowGap: 2 }}>
        <ToggleButtonGroup
          size="small"
          aria-label={t("settings.priceHours.days", { name })}
          value={isEveryDay ? [...DAYS] : [...row.days]}
          onChange={(_, days: string[]) =>
            days.length > 0 && onChange({ days: days.length === DAYS.length ? [] : days })
          }
        >
          {DAYS.map((day, place) => (
            <ToggleButton key={day} value={day}>
              {dayName(place)}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        {(["from", "until"] as const).map((field) => (
          <OutlinedInput
            key={field}
            type="time"
            value={row[field] === "24:00" ? "00:00" : row[field]}
            inputProps={{ "aria-label": t(`settings.priceHours.${field}`, { name }) }}
            onChange={({ target }) => target.value !== "" && onChange({ [field]: target.value })}
          />
        ))}
        <Box sx={{ flex: "0 1 220px" }}>
          <NamePicker
            names={ZONES}
            value={row.zone}
            label={t("settings.priceHours.zone", { name })}
            onChange={(zone) => zone !== row.zone && onChange({ zone })}
          />
        </Box>
        <Box
          sx={{
            display: "grid",
            gridTemplateColumns: "repeat(3, 96px)",
            gridTemplateAreas: '"input output cached"',
            gap: 2,
          }}
        >
          <FactorInputs row={row} name={`${name}, ${row.from}–${row.until}`} onChange={onChange} />
        </Box>
      </Row>
    </Col>
  );
};
