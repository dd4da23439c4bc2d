import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { useTranslation } from "react-i18next";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { Col, Panel } from "../../../components/layout.tsx";
import { NumberInput } from "../fields/NumberInput.tsx";
import { SettingInput } from "../fields/SettingInput.tsx";
import {
  type DiscountRow,
  discountsText,
  isoText,
  localText,
  readDiscounts,
} from "../model-prices/rules/price-rules.ts";
import { json } from "../setting-field.ts";
import { useSettingHint, useSettings } from "../settings-store.tsx";

const FIELD = json("GroupDiscounts", "list");
const DISCOUNT_COLUMNS = {
  xs: "minmax(0, 1fr) 96px 32px",
  sm: "minmax(96px, 160px) 96px minmax(0, 1fr) minmax(0, 1fr) 32px",
};
const AREAS = {
  xs: '"group percent remove" "from from from" "until until until"',
  sm: '"group percent from until remove"',
};
const DAY_MS = 86_400_000;

/** Time-limited discounts of groups, one per line; saved with the section. */
export const DiscountEditor = ({ groups }: { groups: readonly string[] }) => {
  const { t } = useTranslation();
  const { textOf, change } = useSettings();
  const hint = useSettingHint()(FIELD);
  const rows = readDiscounts(textOf("GroupDiscounts"));
  if (!rows) return <SettingInput field={FIELD} />;
  const update = (next: readonly DiscountRow[]) => change("GroupDiscounts", discountsText(next));
  const put = (at: number, row: DiscountRow) => update(rows.map((other, index) => (index === at ? row : other)));
  const add = () => {
    const now = Date.now();
    const [from, until] = [now, now + 7 * DAY_MS].map((ms) => `${new Date(ms).toISOString().slice(0, 16)}:00.000Z`);
    update([...rows, { group: groups[0] ?? "default", percent: 10, from: from ?? "", until: until ?? "" }]);
  };
  const setMoment = (at: number, row: DiscountRow, field: "from" | "until", text: string) => {
    const moment = isoText(text);
    if (moment === null) return;
    const next = { ...row, [field]: moment };
    if (Date.parse(next.from) >= Date.parse(next.until)) notifyError(t("settings.discounts.order"));
    put(at, next);
  };
  return (
    <Panel title={t("settings.fields.GroupDiscounts.label")}>
      <Col gap={3}>
        <Box sx={{ fontSize: 12.5, color: "text.secondary" }}>{hint}</Box>
        {rows.map((row, at) => (
          <Box
            // biome-ignore lint/suspicious/noArrayIndexKey: two discounts may be the same in everything but their place
            key={at}
            sx={{
              display: "grid",
              gridTemplateColumns: DISCOUNT_COLUMNS,
              gridTemplateAreas: AREAS,
              gap: 2,
              alignItems: "center",
            }}
          >
            <Select
              sx={{ gridArea: "group" }}
              value={row.group}
              SelectDisplayProps={{ "aria-label": t("settings.discounts.group", { place: at + 1 }) }}
              onChange={(event) => put(at, { ...row, group: event.target.value })}
            >
              {[...new Set([...groups, row.group])].map((group) => (
                <MenuItem key={group} value={group}>
                  {group}
                </MenuItem>
              ))}
            </Select>
            <Box sx={{ gridArea: "percent" }}>
              <NumberInput
                value={row.percent}
                label={t("settings.discounts.percent", { place: at + 1 })}
                start="−"
                end="%"
                isValid={(value) => value >= 0 && value <= 100}
                onChange={(percent) => put(at, { ...row, percent })}
              />
            </Box>
            {(["from", "until"] as const).map((field) => (
              <OutlinedInput
                key={field}
                type="datetime-local"
                sx={{ gridArea: field }}
                value={localText(row[field])}
                inputProps={{ "aria-label": t(`settings.discounts.${field}`, { place: at + 1 }) }}
                onChange={(event) => setMoment(at, row, field, event.target.value)}
              />
            ))}
            <IconButton
              sx={{ gridArea: "remove" }}
              aria-label={t("settings.discounts.remove", { place: at + 1 })}
              onClick={() => update(rows.filter((_, index) => index !== at))}
            >
              <Delete />
            </IconButton>
          </Box>
        ))}
        <Box>
          <Button onClick={add}>{t("settings.discounts.add")}</Button>
        </Box>
      </Col>
    </Panel>
  );
};
