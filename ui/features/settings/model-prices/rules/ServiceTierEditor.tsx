import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Col, Panel, Row } from "../../../../components/layout.tsx";
import { SettingInput } from "../../fields/SettingInput.tsx";
import { json } from "../../setting-field.ts";
import { useSettingHint, useSettings } from "../../settings-store.tsx";
import { FactorInputs } from "./FactorInputs.tsx";
import { ModelPicker, NamePicker } from "./ModelPicker.tsx";
import {
  isTierName,
  KNOWN_TIERS,
  readServiceTiers,
  rowsFor,
  type ServiceTierRow,
  serviceTiersText,
} from "./special-prices.ts";

const FIELD = json("ServiceTiers");
const COLUMNS = { xs: "repeat(3, minmax(0, 1fr)) 32px", sm: "minmax(120px, 1fr) 110px 96px 96px 96px 32px" };
/** On a phone the model and its tier have a line of their own. */
const AREAS = { xs: '"model tier tier remove" "input output cached ."', sm: '"model tier input output cached remove"' };
/** Lines shown before expansion. */
const SHOWN = 6;

/** Prices of service tiers, one per line; saved with the section. */
export const ServiceTierEditor = ({ models }: { models: readonly string[] }) => {
  const { t } = useTranslation();
  const { textOf, change, defaults } = useSettings();
  const hint = useSettingHint()(FIELD);
  const [model, setModel] = useState("");
  const [tier, setTier] = useState<string>(KNOWN_TIERS[0]);
  const [isOpen, setOpen] = useState(false);
  const rows = readServiceTiers(textOf("ServiceTiers"));
  if (!rows) return <SettingInput field={FIELD} />;
  const update = (next: readonly ServiceTierRow[]) => change("ServiceTiers", serviceTiersText(next));
  const [name, tierName] = [model.trim(), tier.trim()];
  const isKnown = rows.some((row) => row.model === name && row.tier === tierName);
  const found = rowsFor(rows, name);
  const shown = isOpen || name !== "" ? found : found.slice(0, SHOWN);
  const missing = (readServiceTiers(defaults.ServiceTiers ?? "{}") ?? []).filter(
    (listed) => !rows.some((row) => row.model === listed.model),
  );
  return (
    <Panel title={t("settings.fields.ServiceTiers.label")}>
      <Col gap={3}>
        <Box sx={{ fontSize: 12.5, color: "text.secondary" }}>{hint}</Box>
        <Row gap={2} wrap sx={{ maxWidth: 640, rowGap: 2 }}>
          <Box sx={{ flex: "1 1 240px" }}>
            <ModelPicker models={models} value={model} label={t("settings.serviceTiers.model")} onChange={setModel} />
          </Box>
          <Box sx={{ flex: "0 1 150px" }}>
            <NamePicker
              names={KNOWN_TIERS}
              value={tier}
              label={t("settings.serviceTiers.tier")}
              onChange={(text) => setTier(text.toLowerCase())}
            />
          </Box>
          <Button
            onClick={() => update([...rows, { model: name, tier: tierName, input: 1, output: 1, cached: null }])}
            disabled={name === "" || isKnown || !isTierName(tierName)}
          >
            {t("settings.serviceTiers.add")}
          </Button>
        </Row>
        {shown.map((row) => (
          <Box
            key={`${row.model} ${row.tier}`}
            sx={{
              display: "grid",
              gridTemplateColumns: COLUMNS,
              gridTemplateAreas: AREAS,
              gap: 2,
              alignItems: "center",
            }}
          >
            <Box sx={{ gridArea: "model", fontSize: 13, fontWeight: 560, overflowWrap: "anywhere" }}>{row.model}</Box>
            <Box sx={{ gridArea: "tier", fontSize: 13, overflowWrap: "anywhere" }}>{row.tier}</Box>
            <FactorInputs
              row={row}
              name={`${row.model}, ${row.tier}`}
              onChange={(factors) => update(rows.map((other) => (other === row ? { ...row, ...factors } : other)))}
            />
            <IconButton
              sx={{ gridArea: "remove" }}
              aria-label={t("settings.serviceTiers.remove", { name: row.model, tier: row.tier })}
              onClick={() => update(rows.filter((other) => other !== row))}
            >
              <Delete />
            </IconButton>
          </Box>
        ))}
        <Row gap={2} wrap>
          {shown.length < found.length && (
            <Button size="small" variant="text" onClick={() => setOpen(true)}>
              {t("settings.serviceTiers.all", { count: found.length })}
            </Button>
          )}
          {missing.length > 0 && (
            <Button size="small" variant="text" onClick={() => update([...rows, ...missing])}>
              {t("settings.serviceTiers.listed", { count: missing.length })}
            </Button>
          )}
        </Row>
        <SettingInput field={{ key: "UnpricedServiceTier", kind: "choice", choices: ["multiply", "refuse"] }} />
        <SettingInput field={json("ServiceTierMultipliers")} />
      </Col>
    </Panel>
  );
};
