import type { Given } from "./reports.ts";

const AFTER = `apiVersion: v1
kind: ConfigMap
metadata:
  name: storefront
  namespace: shop
data:
  LOG_LEVEL: debug
  CURRENCY: EUR
---
apiVersion: v1
kind: Secret
metadata:
  name: storefront-db
  namespace: shop
stringData:
  password: not-a-real-one
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: storefront
  namespace: shop
spec:
  replicas: 3
  selector:
    matchLabels: {app: storefront}
  template:
    metadata:
      labels: {app: storefront}
    spec:
      containers:
        - name: web
          image: registry.example/storefront:2.7.1
          envFrom:
            - configMapRef: {name: storefront}
          env:
            - name: DB_PASSWORD
              valueFrom:
                secretKeyRef: {name: storefront-db, key: password}
          readinessProbe:
            httpGet: {path: /healthz, port: 8080}
`;

/** A changed ConfigMap. */
export const EXAMPLE: Given = { before: AFTER.replace("LOG_LEVEL: debug", "LOG_LEVEL: info"), after: AFTER };
