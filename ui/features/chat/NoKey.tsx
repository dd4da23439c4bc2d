import Key from "@mui/icons-material/KeyOutlined";
import Box from "@mui/material/Box";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../../components/EmptyState.tsx";

const LEAVE_MS = 1500;

/** Says that no key can be used, then goes to where one is made. */
export const NoKey = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  useEffect(() => {
    const timer = setTimeout(() => void navigate({ to: "/token", search: {}, replace: true }), LEAVE_MS);
    return () => clearTimeout(timer);
  }, [navigate]);
  return (
    <Box role="alert">
      <EmptyState isPage icon={<Key />} title={t("chat.noKey.title")} body={t("chat.noKey.body")} />
    </Box>
  );
};
