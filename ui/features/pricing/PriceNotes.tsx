import Info from "@mui/icons-material/InfoOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import IconButton from "@mui/material/IconButton";
import Tooltip from "@mui/material/Tooltip";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Row } from "../../components/layout.tsx";
import type { Discount } from "./pricing.ts";

type Props = Readonly<{ isVisitor: boolean; group: string; ratio: number; discount: Discount | undefined }>;

/** Whose prices these are, and how they come about. */
export const PriceNotes = ({ isVisitor, group, ratio, discount }: Props) => {
  const { t, i18n } = useTranslation();
  const [isExplaining, setExplaining] = useState(false);
  const tone = isVisitor ? "warn" : "info";
  return (
    <>
      <Row
        gap={2.5}
        sx={{
          mb: 4,
          px: 3,
          py: 2,
          borderRadius: 1,
          border: "1px solid",
          borderColor: `tone.${tone}.line`,
          bgcolor: `tone.${tone}.tint`,
          fontSize: 13,
        }}
      >
        <Box sx={{ flex: 1 }}>
          <Box>{t(isVisitor ? "pricing.visitor" : "pricing.yourGroup", { group, ratio })}</Box>
          {discount && (
            <Box sx={{ fontWeight: 560 }}>
              {t("pricing.discount", {
                group,
                percent: discount.percent,
                until: new Date(discount.until * 1000).toLocaleString(i18n.language),
              })}
            </Box>
          )}
          <Box sx={{ color: "text.secondary" }}>{t("pricing.formula")}</Box>
        </Box>
        <Tooltip title={t("pricing.explain.open")}>
          <IconButton aria-label={t("pricing.explain.open")} onClick={() => setExplaining(true)}>
            <Info />
          </IconButton>
        </Tooltip>
      </Row>
      {isExplaining && (
        <Dialog open onClose={() => setExplaining(false)} maxWidth="sm" aria-labelledby="ratios-explained">
          <DialogTitle id="ratios-explained">{t("pricing.explain.title")}</DialogTitle>
          <DialogContent sx={{ fontSize: 13.5, lineHeight: "21px", "& p": { mt: 0 } }}>
            <p>{t("pricing.explain.model")}</p>
            <p>{t("pricing.explain.completion")}</p>
            <p>{t("pricing.explain.group")}</p>
            <p>{t("pricing.explain.cache")}</p>
            <p>{t("pricing.explain.call")}</p>
          </DialogContent>
          <DialogActions>
            <Button onClick={() => setExplaining(false)}>{t("pricing.explain.close")}</Button>
          </DialogActions>
        </Dialog>
      )}
    </>
  );
};
