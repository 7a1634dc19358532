class Rollstamp < Formula
  desc "Makes Kubernetes rollouts part of the commit"
  homepage "https://github.com/rollstamp/rollstamp"
  url "https://registry.npmjs.org/rollstamp/-/rollstamp-{{version}}.tgz"
  sha256 "{{sha256}}"
  license "Apache-2.0"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    generate_completions_from_executable(bin/"rollstamp", "completion", shells: [:bash, :zsh, :fish])
  end

  test do
    (testpath/"app.yaml").write <<~YAML
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: env}
      data: {LEVEL: info}
      ---
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: web}
      spec:
        selector: {matchLabels: {app: web}}
        template:
          metadata: {labels: {app: web}}
          spec:
            containers:
              - name: web
                image: registry.example/web:1.0.0
                envFrom: [{configMapRef: {name: env}}]
    YAML
    assert_match "configmap.rollstamp.dev/env", shell_output("#{bin}/rollstamp < app.yaml")
  end
end
