import type { FoundBy } from "../../reports/plan/planned-application.ts";
import { IN_CLUSTER, type ApplicationKind, type Render } from "./application.ts";
import { expanded } from "./application-sets.ts";
import type { ArgoApplication } from "./argo-options.ts";
import { renderOfSource } from "./argo-source.ts";
import { deployedByArgo, deployedBySet, withMark, type Deployed } from "./deletions.ts";
import { NOTHING_FOUND, type Finder, type Found } from "./finder.ts";
import type { NotFound } from "./not-found.ts";
import { workBudget, type Work } from "./generator-parameters.ts";
import { ownRevisions, withRevisions } from "./source-revisions.ts";
import type { NotExaminedKind } from "../../findings/not-examined/not-examined-kinds.ts";
import { formatName } from "../../base/names.ts";
import { groupedBy, once } from "../../base/grouped.ts";
import { mayBePatched } from "./kustomizations.ts";
import { clustersAt } from "./given-values.ts";
import { definingObject, givenText, type GitOpsObject, placeOfObject, shownBy } from "./objects.ts";
import { filePatterns, templatePaths } from "./path-patterns.ts";
import { shownAddress } from "./remotes.ts";
import { listOf, isMapping, type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";
import type { Repository } from "./repository.ts";

/** Argo CD's Applications, and those that its ApplicationSets generate. */
export const ARGO: Finder = (repository, isTaken) => {
  const all = repository.objects.filter(({ group }) => group === "argoproj.io");
  const work = workBudget(repository.tree.limits);
  const found = all.flatMap((object) => {
    if (object.kind === "Application")
      return [
        applicationFrom(
          object,
          {
            name: object.name,
            spec: object.spec,
            definedIn: [object.file],
            deployed: deployedByArgo(object.spec, object.finalizers ?? []),
          },
          "Application",
          repository,
        ),
      ];
    return object.kind === "ApplicationSet" ? fromSet(object, repository, work) : [];
  });
  const applications = found.flatMap((one) => one.applications).filter(({ path }) => !isTaken(path));
  return {
    applications,
    taken: found.flatMap(({ taken }) => taken),
    mayLeadTo: found.flatMap(({ mayLeadTo = [] }) => mayLeadTo),
    notFound: found.flatMap(({ notFound }) => notFound),
  };
};

/** An Application in a file, or a generated one. */
interface Written {
  readonly name: string;
  readonly spec: Mapping;
  readonly definedIn: readonly string[];
  readonly deployed: Deployed;
  /** The revisions that its ApplicationSet reads. */
  readonly revisions?: readonly string[];
}

function applicationFrom(
  object: GitOpsObject,
  { name, spec, definedIn, deployed, revisions = [] }: Written,
  foundBy: FoundBy,
  repository: Repository,
): Found {
  const sources = sourcesOf(spec);
  if (sources.length === 0) return nothing(object, foundBy, name, "it has no source");
  const destination = fieldsOf(spec["destination"]);
  const cluster = clusterOf(destination, object, repository);
  const namespace = givenText(destination["namespace"]);
  const application: ArgoApplication = {
    name,
    namespace: object.namespace,
    project: textOrEmpty(spec["project"]),
    destinationNamespace: namespace,
    refs: new Map(
      sources.flatMap((source) => {
        const ref = givenText(source["ref"]);
        const address = textOrEmpty(source["repoURL"]);
        return ref === undefined ? [] : [[`$${ref}`, { isOwn: repository.isOwnAddress(address), address }]];
      }),
    ),
  };
  const renders: Render[] = [];
  const outside: NotFound[] = [];
  const kinds: ApplicationKind[] = [];
  const paths: string[] = [];
  const taken: string[] = [];
  const notFound: NotFound[] = [];
  for (const source of sources) {
    const made = renderOfSource(source, application, repository);
    if (made.is === "reference") continue;
    if (made.is !== "render") {
      const isShown = made.is === "incomplete" && foundBy === "Application" && mayBePatched(object, repository);
      const found = {
        ...row(object, foundBy, name, made.reason),
        ...(made.missing === undefined ? {} : { missing: made.missing }),
        ...(made.pathHere === undefined || object.ignored?.includes("RS024") === true
          ? {}
          : { pathHere: made.pathHere }),
      };
      if (made.is === "elsewhere") {
        outside.push({ ...found, isFailure: false });
        renders.push({ by: "outside", part: { is: "source", name: made.missing ?? "" }, source });
      } else notFound.push({ ...found, ...(isShown ? { isShown } : {}), isFailure: !isShown });
      continue;
    }
    renders.push(made.render);
    kinds.push(made.kind);
    if (made.path !== undefined) paths.push(made.path);
    taken.push(...made.taken);
  }
  const [render] = renders;
  const [kind] = kinds;
  if (render === undefined || kind === undefined) {
    const all = [...notFound, ...outside];
    if (all.length === 0) return nothing(object, foundBy, name, "it has no source but files for others");
    return { applications: [], taken, notFound: all };
  }
  return {
    applications: [
      {
        name,
        path: paths[0] ?? object.file,
        kind,
        foundBy,
        ...(cluster === undefined ? {} : { cluster }),
        ...(namespace === undefined ? {} : { namespace }),
        isNamed: true,
        definedIn,
        objects: [{ ...definingObject(object, object.namespace), kind: "Application", name, spec }],
        ...(foundBy === "ApplicationSet" ? { generatedBy: object.name } : {}),
        ...withRevisions([...revisions, ...ownRevisions(sources, repository)]),
        ...shownBy(object),
        ...withMark(deployed, object),
        render: renders.length === 1 ? render : { by: "sources", sources: renders },
      },
    ],
    taken,
    notFound,
  };
}

/** `sources` take precedence over `source`; a hydrator renders its dry source. */
function sourcesOf(spec: Mapping): Mapping[] {
  const several = listOf(spec["sources"]).filter(isMapping);
  if (several.length > 0) return several;
  const dry = fieldsOf(spec["sourceHydrator"])["drySource"];
  // A dry source needs no path.
  if (isMapping(dry)) return [{ ...dry, path: givenText(dry["path"]) ?? "." }];
  return isMapping(spec["source"]) ? [spec["source"]] : [];
}

const LOCAL_ADDRESS = "https://kubernetes.default.svc";

/** The cluster of an Application. `in-cluster` is the cluster that contains the Application, if it has no other name. */
function clusterOf({ name, server }: Mapping, object: GitOpsObject, { given }: Repository): string | undefined {
  const address = givenText(name) ?? givenText(server);
  const clusters = clustersAt(given, placeOfObject(object)) ?? [];
  const isLocal = address === IN_CLUSTER || address === LOCAL_ADDRESS;
  if (isLocal) {
    const [local, another] = clusters.filter((one) => one.server === LOCAL_ADDRESS);
    return object.shown?.cluster ?? (another === undefined ? local?.name : undefined) ?? IN_CLUSTER;
  }
  // A server's address and its name mean the same cluster.
  const known = clusters.find((one) => one.server !== "" && one.server === address)?.name;
  return known ?? (address === undefined ? undefined : shownAddress(address));
}

function row(object: GitOpsObject, foundBy: FoundBy, name: string, reason: string): Omit<NotFound, "isFailure"> {
  const kind: NotExaminedKind = foundBy === "ApplicationSet" ? "ApplicationSet" : "Application";
  return { path: object.file, kind, name, namespace: object.namespace, reason };
}

function nothing(object: GitOpsObject, foundBy: FoundBy, name: string, reason: string): Found {
  return { applications: [], taken: [], notFound: [{ ...row(object, foundBy, name, reason), isFailure: true }] };
}

function fromSet(object: GitOpsObject, repository: Repository, work: Work): Found[] {
  const { name, file } = object;
  const { applications, problems, filesOf, revisions } = expanded(object, repository, work);
  const mayLeadTo = once(() => templatePaths(object.spec));
  const mayRead = once(() =>
    object.ignored?.includes("RS024") === true ? [] : filePatterns(object.spec, repository.isOwnAddress),
  );
  const byName = groupedBy(applications, (application) => textOrEmpty(fieldsOf(application["metadata"])["name"]));
  return [
    ...[...byName].map(([given, same]) => {
      // As in validateGeneratedApplications of applicationset_controller.go.
      const refused =
        given === ""
          ? "it makes an Application without a name: Argo CD takes none"
          : same.length > 1
            ? `it makes ${same.length} Applications of the name ${formatName(given)}: Argo CD takes none of them`
            : undefined;
      if (refused !== undefined) return nothing(object, "ApplicationSet", name, refused);
      const [template] = same;
      const deployed = deployedBySet(object.spec, template);
      const spec = fieldsOf(template["spec"]);
      const made = { name: given, spec, definedIn: [file, ...filesOf(template)], deployed, revisions };
      return applicationFrom(object, made, "ApplicationSet", repository);
    }),
    // Thousands of elements may fail for the same reason.
    ...[...new Map(problems.map((problem) => [problem.message, problem])).values()].map(({ message, is }) => ({
      ...NOTHING_FOUND,
      notFound: [
        {
          ...row(object, "ApplicationSet", name, message),
          isFailure: is === "invalid",
          ...(is === "invalid" ? {} : { mayRead: mayRead() }),
        },
      ],
      mayLeadTo: mayLeadTo(),
    })),
  ];
}
