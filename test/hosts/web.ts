/** The smallest workload that uses a source, and the source: for tests of how the function is called. */
export const WEB: string = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: app
        image: registry.example/web:1
        envFrom:
        - configMapRef: {name: env}
`;
export const ENV: string = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: env\ndata:\n  LEVEL: info\n";
