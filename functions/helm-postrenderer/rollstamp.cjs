// In a checkout or an npm package; in a release's tarball this file is the command itself.
// oxlint-disable-next-line import/no-unassigned-import, layers/downward -- to load it is to run it
require("../../dist/rollstamp.cjs");
