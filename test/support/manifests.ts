/** A ConfigMap with one key, `value`. */
export function configMap(name: string, value: string): string {
  return `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
data:
  value: ${JSON.stringify(value)}
`;
}

/** A Deployment whose only container takes its environment from a ConfigMap. */
export function deployment(name: string, source: string): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  template:
    metadata:
      labels:
        app: ${name}
    spec:
      containers:
        - name: app
          image: app:1
          envFrom:
            - configMapRef:
                name: ${source}
`;
}

/** The digest of a ConfigMap whose `value` is "a", as a stamp has it. */
export const STAMP_OF_A: string = '"h1-1c3e2bf085c989311d37cb1ecb2c805e6f8894ae"';
