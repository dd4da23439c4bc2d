import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Col, Panel, Row } from "../../../../components/layout.tsx";
import { NumberInput } from "../../fields/NumberInput.tsx";
import { SettingInput } from "../../fields/SettingInput.tsx";
import { json } from "../../setting-field.ts";
import { useSettingHint, useSettings } from "../../settings-store.tsx";
import { ModelPicker } from "./ModelPicker.tsx";
import { readTiers, type TierRow, tiersText } from "./price-rules.ts";
import { rowsFor } from "./special-prices.ts";

const FIELD = json("ContextTiers");
const COLUMNS = { xs: "minmax(0, 1fr) 72px 72px 32px", sm: "minmax(120px, 1fr) 150px 110px 110px 32px" };
/** On a phone the model has its own line. */
const AREAS = { xs: '"model model model remove" "over input output ."', sm: '"model over input output remove"' };
const LONG_PROMPT = 200_000;
/** Tiers shown before expansion. */
const SHOWN = 6;

/** Price tiers by prompt length, one per line; saved with the section. */
export const TierEditor = ({ models }: { models: readonly string[] }) => {
  const { t } = useTranslation();
  const { textOf, change, defaults } = useSettings();
  const hint = useSettingHint()(FIELD);
  const [model, setModel] = useState("");
  const [isOpen, setOpen] = useState(false);
  const rows = readTiers(textOf("ContextTiers"));
  if (!rows) return <SettingInput field={FIELD} />;
  const update = (next: readonly TierRow[]) => change("ContextTiers", tiersText(next));
  const name = model.trim();
  const add = () => {
    if (name === "") return;
    const longest = Math.max(0, ...rows.filter((row) => row.model === name).map(({ over }) => over));
    // Keeps the name in the search, so that the model's tiers are shown.
    update([...rows, { model: name, over: longest > 0 ? longest * 2 : LONG_PROMPT, input: 2, output: 1.5 }]);
  };
  const found = rowsFor(rows, name);
  const shown = isOpen || name !== "" ? found : found.slice(0, SHOWN);
  const missing = (readTiers(defaults.ContextTiers ?? "{}") ?? []).filter(
    (listed) => !rows.some((row) => row.model === listed.model),
  );
  return (
    <Panel title={t("settings.fields.ContextTiers.label")}>
      <Col gap={3}>
        <Box sx={{ fontSize: 12.5, color: "text.secondary" }}>{hint}</Box>
        <Row gap={2} sx={{ maxWidth: 480 }}>
          <ModelPicker models={models} value={model} label={t("settings.tiers.model")} onChange={setModel} />
          <Button onClick={add} disabled={name === ""}>
            {t("settings.tiers.add")}
          </Button>
        </Row>
        {shown.map((row) => (
          <Box
            key={`${row.model} ${row.over}`}
            sx={{
              display: "grid",
              gridTemplateColumns: COLUMNS,
              gridTemplateAreas: AREAS,
              gap: 2,
              alignItems: "center",
            }}
          >
            <Box sx={{ gridArea: "model", fontSize: 13, fontWeight: 560, overflowWrap: "anywhere" }}>{row.model}</Box>
            {(["over", "input", "output"] as const).map((field) => (
              <Box key={field} sx={{ gridArea: field }}>
                <NumberInput
                  value={row[field]}
                  label={t(`settings.tiers.${field}`, { name: row.model })}
                  start={field === "over" ? ">" : "×"}
                  isValid={(value) => (field === "over" ? isThreshold(rows, row, value) : value >= 0)}
                  onChange={(value) =>
                    update(rows.map((other) => (other === row ? { ...row, [field]: value } : other)))
                  }
                />
              </Box>
            ))}
            <IconButton
              sx={{ gridArea: "remove" }}
              aria-label={t("settings.tiers.remove", { name: row.model, over: row.over })}
              onClick={() => update(rows.filter((other) => other !== row))}
            >
              <Delete />
            </IconButton>
          </Box>
        ))}
        <Row gap={2}>
          {shown.length < found.length && (
            <Button size="small" variant="text" onClick={() => setOpen(true)}>
              {t("settings.tiers.all", { count: found.length })}
            </Button>
          )}
          {missing.length > 0 && (
            <Button size="small" variant="text" onClick={() => update([...rows, ...missing])}>
              {t("settings.tiers.listed", { count: missing.length })}
            </Button>
          )}
        </Row>
      </Col>
    </Panel>
  );
};

/** Each tier of a model may occur only once. */
const isThreshold = (rows: readonly TierRow[], row: TierRow, over: number): boolean =>
  Number.isSafeInteger(over) &&
  over > 0 &&
  !rows.some((other) => other !== row && other.model === row.model && other.over === over);
