import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { OptionKey } from "../../../../src/settings/registry/index.ts";
import { Row } from "../../../components/layout.tsx";
import { useSettings } from "../settings-store.tsx";

/** Saves or discards the changes of all sections. Stays at the bottom of the window while the section is longer. */
export const SaveBar = ({ onFault }: { onFault: (key: OptionKey) => void }) => {
  const { t } = useTranslation();
  const store = useSettings();
  const [isSaving, setSaving] = useState(false);
  const count = store.changed.size;
  const save = async () => {
    setSaving(true);
    const fault = await store.save();
    setSaving(false);
    if (fault) onFault(fault);
  };
  return (
    <Box
      sx={{
        position: "sticky",
        bottom: 0,
        zIndex: 2,
        mt: 5,
        py: 3,
        bgcolor: "background.default",
        borderTop: "1px solid",
        borderColor: "line.main",
      }}
    >
      <Row gap={2}>
        <Button
          variant={count > 0 ? "contained" : "outlined"}
          {...(count > 0 && { color: "primary" })}
          loading={isSaving}
          onClick={() => void save()}
        >
          {count > 0 ? t("settings.saveCount", { count }) : t("settings.save")}
        </Button>
        {count > 0 && (
          <Button variant="text" onClick={() => store.discard([...store.changed])}>
            {t("settings.discard")}
          </Button>
        )}
      </Row>
    </Box>
  );
};
