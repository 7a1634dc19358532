// For a checkout or an npm package. A release's tarball contains the files of dist instead.
// oxlint-disable-next-line import/no-unassigned-import, layers/downward -- to load it is to run it
require("../../dist/rollstamp.cjs");
