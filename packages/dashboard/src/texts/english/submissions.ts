export const submissions = {
  title: "Submissions",
};
