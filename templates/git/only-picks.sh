if [ -d "$(git rev-parse --git-path rebase-merge)" ]; then exit 0; fi
case "$(git log -1 --walk-reflogs --format=%gs HEAD --)" in
  cherry-pick* | revert* | 'commit (merge)'* | 'commit (cherry-pick)'*) ;;
  *) exit 0 ;;
esac
todo=$(git rev-parse --git-path sequencer/todo)
if [ -f "$todo" ] && [ "$(grep -c . "$todo")" -gt 1 ]; then exit 0; fi
