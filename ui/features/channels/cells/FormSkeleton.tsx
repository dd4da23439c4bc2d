import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { Col } from "../../../components/layout.tsx";

const FIELDS = ["type", "name", "address", "keys", "models"] as const;

/** The drawer's skeleton while its channel loads. */
export const FormSkeleton = () => (
  <Col gap={5}>
    {FIELDS.map((field) => (
      <Box key={field}>
        <Skeleton variant="rounded" width={96} height={14} sx={{ mb: 2 }} />
        <Skeleton variant="rounded" height={field === "keys" || field === "models" ? 96 : 32} />
      </Box>
    ))}
  </Col>
);
