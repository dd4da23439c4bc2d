import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import Radio from "@mui/material/Radio";
import RadioGroup from "@mui/material/RadioGroup";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Col, Row } from "../../../components/layout.tsx";
import { isOneOf } from "../../../lib/json.ts";
import type { UsageMode } from "./setup-form.ts";

const MODES: readonly UsageMode[] = ["external", "self", "demo"];
const isMode = isOneOf(MODES);

/** Chooses who uses the gateway: three cards, and a dialog that explains them. */
export const ModeChoice = ({ value, onChange }: { value: UsageMode; onChange: (mode: UsageMode) => void }) => {
  const { t } = useTranslation();
  const id = useId();
  const [isExplaining, setExplaining] = useState(false);
  return (
    <Box>
      <Row sx={{ mb: 1 }}>
        <Box id={id} sx={{ flex: 1, fontSize: 12.5, lineHeight: "18px", fontWeight: 550 }}>
          {t("setup.mode")}
        </Box>
        <Button variant="text" size="small" onClick={() => setExplaining(true)} aria-haspopup="dialog">
          {t("setup.modeHint")}
        </Button>
      </Row>
      <RadioGroup
        aria-labelledby={id}
        value={value}
        onChange={(_, mode) => isMode(mode) && onChange(mode)}
        sx={{ display: "grid", gap: 2, gridTemplateColumns: { xs: "1fr", sm: "repeat(3, minmax(0, 1fr))" } }}
      >
        {MODES.map((mode) => (
          <Row
            key={mode}
            gap={1}
            sx={{
              px: 2,
              height: 44,
              position: "relative",
              border: "1px solid",
              borderColor: mode === value ? "primary.main" : "line.strong",
              borderRadius: "8px",
              bgcolor: mode === value ? "surface.selected" : "surface.paper",
            }}
          >
            <Radio value={mode} id={`${id}${mode}`} size="small" sx={{ p: 1 }} />
            <Box
              component="label"
              htmlFor={`${id}${mode}`}
              sx={{
                fontSize: 13,
                fontWeight: 520,
                cursor: "pointer",
                "&::after": { content: '""', position: "absolute", inset: 0 },
              }}
            >
              {t(`setup.modes.${mode}.name`)}
            </Box>
          </Row>
        ))}
      </RadioGroup>
      <Box aria-live="polite" sx={{ mt: 1.5, fontSize: 12, lineHeight: "16px", color: "text.tertiary" }}>
        {t(`setup.modes.${value}.text`)}
      </Box>
      {isExplaining && <ModeDialog onClose={() => setExplaining(false)} />}
    </Box>
  );
};

const ModeDialog = ({ onClose }: { onClose: () => void }) => {
  const { t } = useTranslation();
  const titleId = useId();
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId} sx={{ fontSize: 16, fontWeight: 620, pb: 1 }}>
        {t("setup.explainTitle")}
      </DialogTitle>
      <DialogContent>
        <Box sx={{ fontSize: 13, color: "text.secondary", mb: 4 }}>{t("setup.explainBody")}</Box>
        <Col gap={3}>
          {MODES.map((mode) => (
            <Box key={mode} sx={{ fontSize: 13 }}>
              <Box sx={{ fontWeight: 600 }}>{t(`setup.modes.${mode}.name`)}</Box>
              <Box sx={{ color: "text.secondary" }}>{t(`setup.modes.${mode}.text`)}</Box>
            </Box>
          ))}
        </Col>
      </DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        <Button autoFocus onClick={onClose}>
          {t("components.close")}
        </Button>
      </DialogActions>
    </Dialog>
  );
};
