import { guideOfEveryRun, testCommands } from "./command-tests.ts";

// `npm run test:docs`: the commands of every guide whose commands are not run by `npm test` already.
testCommands((guide) => guide !== guideOfEveryRun);
