package dev.kagzi.peers;

/** The workflows, as DBOS wants them: an interface, whose calls it intercepts. */
interface DbosWorkflows {
  /** So many steps, one after another. */
  String steps(int count);

  /** Starts so many children and waits for them. */
  int parent(int children);

  /** Returns at once. */
  String child(int number);

  /** Records steps and waits to be cancelled; when it is resumed, says how long the replay took. */
  double replay(int steps);
}
