/* The executable of an engine in Java. It contains the classes of the engine, and starts a Java
 * virtual machine (JVM) of the system for them.
 *
 * The system's `java` cannot be the executable, because it looks for libjvm.so relative to its own
 * file. The classes are part of the executable, because the host hashes only this one file.
 *
 * The builder compiles it with: -I of a JDK (jni.h), LIBJVM defined as the path of its libjvm.so,
 * RELEASE as the Java version of the classes, and classes.bin in the working folder. The first
 * class in classes.bin is sandboard.Loader, which finds the others (Loader.java describes the
 * format).
 *
 * Exit codes: 0 the engine ended, 1 it threw an exception, 3 the JVM did not start. */

#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <jni.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Where Linux distributions install JVMs. Used if LIBJVM no longer exists. */
#define JVM_HOMES "/usr/lib/jvm/*"
#define LIBJVM_IN_HOME "/lib/server/libjvm.so"

/* Address space needed besides the heap: the JVM itself and its modules file (about 160 MiB),
 * shared classes, code, class data, stacks. */
#define NON_HEAP_MIB 352
#define MIN_HEAP_MIB 16
/* If the address space has no limit, as on a command line. */
#define DEFAULT_HEAP_MIB 256

/* Enough for a recursive search. */
#define STACK_BYTES (8 << 20)

__asm__(".section .rodata\n"
        ".balign 16\n"
        "sandboard_classes: .incbin \"classes.bin\"\n"
        "sandboard_classes_end: .byte 0\n"
        ".previous\n");
extern const unsigned char sandboard_classes[], sandboard_classes_end[];

static const char *const START_FAILED = "the Java virtual machine does not start:";

/* Reads a big-endian number of four bytes. */
static uint32_t read_u32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The maximum heap size in MiB: the limit of the address space less NON_HEAP_MIB. Exits with 3 if
 * the limit is too small. */
static unsigned long heap_mib(void)
{
    const unsigned long min = NON_HEAP_MIB + MIN_HEAP_MIB;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return DEFAULT_HEAP_MIB;
    unsigned long total = limit.rlim_cur >> 20;
    if (total < min) {
        fprintf(stderr,
                "%s it needs %lu MiB of address space and has %lu: give it more memory_bytes\n",
                START_FAILED, min, total);
        exit(3);
    }
    return total - NON_HEAP_MIB;
}

/* Whether the JVM in this folder can run classes of RELEASE: reads its file `release`. */
static int is_new_enough(const char *home)
{
    static const char VERSION[] = "JAVA_VERSION=\"";
    char line[PATH_MAX];
    int release = 0;
    snprintf(line, sizeof line, "%s/release", home);
    FILE *file = fopen(line, "r");
    if (file == NULL)
        return 0;
    while (release == 0 && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, VERSION, sizeof VERSION - 1) == 0)
            release = atoi(line + sizeof VERSION - 1);
    fclose(file);
    return release >= RELEASE;
}

/* Loads LIBJVM, else the first suitable JVM by name in JVM_HOMES. NULL: there is none, and an error
 * was printed. */
static void *load_libjvm(void)
{
    void *library = dlopen(LIBJVM, RTLD_NOW | RTLD_GLOBAL);
    if (library != NULL)
        return library;
    /* The error of LIBJVM says more than that of the last alternative. */
    const char *error = dlerror();
    char *reason = strdup(error == NULL ? LIBJVM : error);
    glob_t homes;
    if (glob(JVM_HOMES, 0, NULL, &homes) == 0) {
        for (size_t i = 0; library == NULL && i < homes.gl_pathc; i++) {
            char file[PATH_MAX];
            snprintf(file, sizeof file, "%s" LIBJVM_IN_HOME, homes.gl_pathv[i]);
            if (is_new_enough(homes.gl_pathv[i]))
                library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
        }
        globfree(&homes);
    }
    if (library == NULL)
        fprintf(stderr, "%s %s, and no other of Java %d or newer is in " JVM_HOMES "\n",
                START_FAILED, reason == NULL ? LIBJVM : reason, RELEASE);
    free(reason);
    return library;
}

/* Moves the channel to the host from standard output to a new descriptor, and returns it. From then
 * on, standard output is standard error, so the host does not read what the JVM prints, such as
 * warnings, as lines of the engine. -1: an error. */
static int separate_channel(void)
{
    int channel = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return channel == -1 || dup2(STDERR_FILENO, STDOUT_FILENO) == -1 ? -1 : channel;
}

/* Makes Java's FileDescriptor.out the channel to the host. System.out remains standard error. */
static void set_channel(JNIEnv *env, int channel)
{
    jclass class = (*env)->FindClass(env, "java/io/FileDescriptor");
    jfieldID out = class == NULL ? NULL
        : (*env)->GetStaticFieldID(env, class, "out", "Ljava/io/FileDescriptor;");
    /* A private field, but the native code of the JDK also looks it up by this name. */
    jfieldID descriptor = out == NULL ? NULL : (*env)->GetFieldID(env, class, "fd", "I");
    if (descriptor != NULL) {
        jobject object = (*env)->GetStaticObjectField(env, class, out);
        (*env)->SetIntField(env, object, descriptor, channel);
    }
}

/* Starts the JVM. Prints an error if it fails. */
static jint start_jvm(JavaVM **jvm, JNIEnv **env)
{
    void *library = load_libjvm();
    if (library == NULL)
        return JNI_ERR;
    jint (*create)(JavaVM **, void **, void *) =
        (jint (*)(JavaVM **, void **, void *))dlsym(library, "JNI_CreateJavaVM");
    if (create == NULL) {
        fprintf(stderr, "%s %s\n", START_FAILED, dlerror());
        return JNI_ERR;
    }
    char heap[32];
    snprintf(heap, sizeof heap, "-Xmx%lum", heap_mib());
    JavaVMOption options[] = {
        {heap, NULL},
        {"-Xms8m", NULL},
        /* Collects garbage in the thread of the engine. */
        {"-XX:+UseSerialGC", NULL},
        /* These count as address space even if unused. */
        {"-XX:ReservedCodeCacheSize=32m", NULL},
        {"-XX:CompressedClassSpaceSize=16m", NULL},
        {"-Xss1m", NULL},
        /* No use of files, signals or other processes. */
        {"-Djava.class.path=/none", NULL},
        {"-Dfile.encoding=UTF-8", NULL},
        {"-XX:-UsePerfData", NULL},
        {"-XX:+DisableAttachMechanism", NULL},
        {"-XX:-UseContainerSupport", NULL},
        {"-XX:-CreateCoredumpOnCrash", NULL},
        {"-XX:+ErrorFileToStderr", NULL},
        {"-Xrs", NULL},
    };
    JavaVMInitArgs arguments = {JNI_VERSION_10, sizeof options / sizeof *options, options,
                                JNI_FALSE};
    jint failure = create(jvm, (void **)env, &arguments);
    if (failure != JNI_OK)
        fprintf(stderr, "%s JNI_CreateJavaVM answers %d\n", START_FAILED, (int)failure);
    return failure;
}

/* Calls the main function of the class that sandboard.Loader.engine(classes) returns. On failure,
 * an exception is pending. */
static void run_engine(JNIEnv *env)
{
    jsize bytes = (jsize)(sandboard_classes_end - sandboard_classes);
    const unsigned char *first = sandboard_classes + 4 + read_u32(sandboard_classes);
    jclass loader = (*env)->DefineClass(env, "sandboard/Loader", NULL, (const jbyte *)first + 4,
                                        (jsize)read_u32(first));
    if (loader == NULL)
        return;
    jmethodID find = (*env)->GetStaticMethodID(env, loader, "engine", "([B)Ljava/lang/Class;");
    jbyteArray classes = find == NULL ? NULL : (*env)->NewByteArray(env, bytes);
    if (classes == NULL)
        return;
    (*env)->SetByteArrayRegion(env, classes, 0, bytes, (const jbyte *)sandboard_classes);
    jclass engine = (*env)->CallStaticObjectMethod(env, loader, find, classes);
    if (engine == NULL)
        return;
    jmethodID entry = (*env)->GetStaticMethodID(env, engine, "main", "([Ljava/lang/String;)V");
    jclass string = entry == NULL ? NULL : (*env)->FindClass(env, "java/lang/String");
    jobjectArray arguments = string == NULL ? NULL : (*env)->NewObjectArray(env, 0, string, NULL);
    if (arguments != NULL)
        (*env)->CallStaticVoidMethod(env, engine, entry, arguments);
}

/* Prints an uncaught exception: its stack trace, then its text in the last line. */
static void print_exception(JNIEnv *env, jthrowable thrown)
{
    (*env)->ExceptionDescribe(env);
    jclass object = (*env)->FindClass(env, "java/lang/Object");
    jmethodID to_string = object == NULL ? NULL
        : (*env)->GetMethodID(env, object, "toString", "()Ljava/lang/String;");
    jstring string = to_string == NULL ? NULL : (*env)->CallObjectMethod(env, thrown, to_string);
    const char *text = string == NULL ? NULL : (*env)->GetStringUTFChars(env, string, NULL);
    if (text != NULL)
        fprintf(stderr, "%s\n", text);
}

/* Body of the thread of the engine: runs the engine and ends the process. */
static void *run(void *channel)
{
    JavaVM *jvm = NULL;
    JNIEnv *env = NULL;
    if (start_jvm(&jvm, &env) != JNI_OK)
        exit(3);
    set_channel(env, *(int *)channel);
    if (!(*env)->ExceptionCheck(env))
        run_engine(env);
    jthrowable thrown = (*env)->ExceptionOccurred(env);
    if (thrown != NULL) {
        print_exception(env, thrown);
        exit(1);
    }
    exit(0);
}

int main(void)
{
    int channel = separate_channel();
    if (channel == -1) {
        fprintf(stderr, "%s no descriptor for the channel to the host\n", START_FAILED);
        return 3;
    }
    /* An arena per thread would reserve 64 MiB each. */
    mallopt(M_ARENA_MAX, 1);
    /* A new thread, because the JVM looks up the stack of the first one in /proc, which a jail does
     * not have. */
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, STACK_BYTES) != 0
        || pthread_create(&thread, &attributes, run, &channel) != 0) {
        fprintf(stderr, "%s no thread\n", START_FAILED);
        return 3;
    }
    pthread_join(thread, NULL);
    return 3;
}
