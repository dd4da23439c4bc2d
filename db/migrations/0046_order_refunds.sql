ALTER TABLE "top_up_orders" ADD COLUMN "refund_started_time" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "top_up_orders" ADD COLUMN "refunded_time" bigint DEFAULT 0 NOT NULL;