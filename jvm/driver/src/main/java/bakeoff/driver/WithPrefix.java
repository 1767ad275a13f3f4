package bakeoff.driver;

import bakeoff.store.Form;
import bakeoff.store.Visitor;

/**
 * Ends a scan at the first entry whose key lacks the prefix: only that key shows where the prefix ends. Each thread has
 * one, reset for each scan.
 *
 * @param <B> the form of keys and values
 */
final class WithPrefix<B> implements Visitor<B> {
    private final Form<B> form;
    private final Visitor<B> visitor;
    private B prefix;
    private int prefixBytes;

    /** Passes on the entries with the prefix. */
    WithPrefix(Form<B> form, Visitor<B> visitor) {
        this.form = form;
        this.visitor = visitor;
    }

    /** Begins a scan. */
    void begin(B prefix) {
        this.prefix = prefix;
        prefixBytes = form.length(prefix);
    }

    @Override
    public boolean visit(B key, B value) {
        return hasPrefix(key) && visitor.visit(key, value);
    }

    private boolean hasPrefix(B key) {
        if (form.length(key) < prefixBytes) {
            return false;
        }
        for (int at = 0; at < prefixBytes; at++) {
            if (form.byteAt(key, at) != form.byteAt(prefix, at)) {
                return false;
            }
        }
        return true;
    }
}
