import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import LinearProgress from "@mui/material/LinearProgress";
import { useTranslation } from "react-i18next";
import type { TestProgress } from "../../../src/domain/channels/test-all.ts";
import { Row } from "../../components/layout.tsx";

/** How far the test of all channels is, and the way to stop it. */
export const TestAllBar = ({ progress, onCancel }: { progress: TestProgress; onCancel: () => void }) => {
  const { t } = useTranslation();
  const { done, total } = progress;
  const label = t("channels.test.allProgress", { done: done.toLocaleString("en"), total: total.toLocaleString("en") });
  return (
    <Row
      gap={4}
      sx={{ mb: 3, px: 4, height: 44, border: "1px solid", borderColor: "line.main", borderRadius: 1, fontSize: 13 }}
    >
      <Box component="span" className="num" aria-live="polite" sx={{ whiteSpace: "nowrap" }}>
        {label}
      </Box>
      <LinearProgress
        variant="determinate"
        value={total === 0 ? 0 : (done / total) * 100}
        aria-label={label}
        sx={{ flex: 1, height: 4, borderRadius: 2 }}
      />
      <Button size="small" variant="text" onClick={onCancel}>
        {t("components.cancel")}
      </Button>
    </Row>
  );
};
